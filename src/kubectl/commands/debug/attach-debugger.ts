/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/debug/debug.go (waitForContainer, handleAttachPod). */
import { type ContainerStatus, type Pod, pods } from "#/api/core/v1.ts";
import { notFound } from "#/machinery/meta/status-error.ts";
import { attachTo, refuseToAttach } from "../../actions/attach-to-pod.ts";
import { printLog } from "../../actions/print-log.ts";
import { messageOf } from "../../base/errors.ts";
import type { Context } from "../../command/context.ts";
import { allowsColor } from "../../printers/escape-terminal.ts";
import { ResourceInfo } from "../../resource/resource-info.ts";
import { untilObserved } from "../../resource/until.ts";

interface Attaching {
  readonly container: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly quiet: boolean;
}

/** Attaches to a container as soon as it runs; prints its log if that is not possible. */
export async function attachDebugger(
  given: Context,
  { metadata }: Pod,
  options: Attaching,
): Promise<void> {
  const context: Context = { ...given, commandPath: "kubectl attach" };
  const { name = "", namespace = "" } = metadata ?? {};
  const info = new ResourceInfo(context.cluster, pods as never, { name, namespace });
  const forever = Number.MAX_SAFE_INTEGER;
  const pod = await untilObserved(
    context,
    info,
    (object) => observe(context, options, object),
    forever,
  );
  if (statusOf(pod, options.container)?.state?.terminated) {
    return printLog(context, pod, options.container);
  }
  try {
    refuseToAttach(pod);
    await attachTo(context, pod, options);
  } catch (error) {
    context.err.write(
      `warning: couldn't attach to pod/${name}, falling back to streaming logs: ${messageOf(error)}\n`,
    );
    await printLog(context, pod, options.container);
  }
}

/** Waits until the container runs or has ended, and returns the Pod; reports the reasons for waiting. */
function observe(
  context: Context,
  options: Attaching,
  object: object | undefined,
): Pod | undefined {
  if (object === undefined) throw notFound(pods, "");
  const pod = object as Pod;
  const { running, terminated, waiting } = statusOf(pod, options.container)?.state ?? {};
  if (running || terminated) return pod;
  if (!options.quiet && waiting?.message) {
    const { err, env } = context;
    const warning = allowsColor(err, env) ? "\x1b[33;1mWarning:\x1b[0m" : "Warning:";
    err.write(`${warning} container ${options.container}: ${waiting.message}\n`);
  }
  return undefined;
}

function statusOf({ status }: Pod, container: string): ContainerStatus | undefined {
  const {
    initContainerStatuses = [],
    containerStatuses = [],
    ephemeralContainerStatuses = [],
  } = status ?? {};
  const all = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  return all.find(({ name }) => name === container);
}
