/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/run/run.go (handleAttachPod). */
import { type Pod, pods } from "#/api/core/v1.ts";
import { notFound } from "#/machinery/meta/status-error.ts";
import { attachTo } from "../actions/attach-to-pod.ts";
import { printLog } from "../actions/print-log.ts";
import { CommandError, ExitError, messageOf } from "../base/errors.ts";
import { kindOf, type Unstructured } from "../base/unstructured.ts";
import type { Context } from "../command/context.ts";
import { chooseContainer } from "../pods/containers.ts";
import { ResourceInfo } from "../resource/resource-info.ts";
import { untilObserved } from "../resource/until.ts";
import type { RunFlags } from "./run.ts";

/** Attaches to a new Pod, prints its output, and ends with its exit code. */
export async function attachToRun(
  given: Context,
  flags: RunFlags,
  created: readonly Unstructured[],
): Promise<void> {
  const context: Context = { ...given, commandPath: "kubectl attach" };
  const info = podInfo(context, created[0] ?? {});
  try {
    await attachOrLog(context, flags, info);
    await finish(context, flags, info);
  } finally {
    if (flags.rm) await removeAll(context, flags, created);
  }
}

function podInfo(context: Context, pod: Unstructured): ResourceInfo {
  const { name = "", namespace = "" } = pod.metadata ?? {};
  return new ResourceInfo(context.cluster, pods as never, { name, namespace, object: pod });
}

const isDone = (pod: Pod): boolean => ["Succeeded", "Failed"].includes(pod.status?.phase ?? "");

const isReady = ({ status }: Pod): boolean =>
  status?.phase === "Running" &&
  (status.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") ??
    false);

async function waitFor(
  context: Context,
  info: ResourceInfo,
  flags: RunFlags,
  holds: (pod: Pod) => boolean,
): Promise<Pod> {
  const observe = (object: Unstructured | undefined): Pod | undefined => {
    if (object === undefined) throw notFound(pods, "");
    const pod = object as unknown as Pod;
    return holds(pod) ? pod : undefined;
  };
  return untilObserved(context, info, observe, flags["pod-running-timeout"]);
}

async function attachOrLog(context: Context, flags: RunFlags, info: ResourceInfo): Promise<void> {
  const pod = await waitFor(context, info, flags, (each) => isReady(each) || isDone(each));
  const name = chooseContainer(pod, "", context, { quiet: true }).container.name;
  if (isDone(pod)) return printLog(context, pod, name);
  const options = {
    container: "",
    stdin: flags.stdin,
    tty: flags.tty,
    quiet: flags.quiet,
    "detach-keys": flags["detach-keys"],
  };
  try {
    await printLog(context, pod, name);
  } catch (error) {
    context.err.write(`warning: couldn't fetch pre-attach logs: ${messageOf(error)}\n`);
  }
  try {
    await attachTo(context, pod, options);
  } catch (error) {
    const { name: podName } = pod.metadata ?? {};
    context.err.write(
      `warning: couldn't attach to pod/${podName}, falling back to streaming logs: ${messageOf(error)}\n`,
    );
    await printLog(context, pod, name);
  }
}

async function finish(context: Context, flags: RunFlags, info: ResourceInfo): Promise<void> {
  const waits = !flags["leave-stdin-open"] && ["Never", "OnFailure"].includes(flags.restart);
  if (!waits) return;
  const isEnd = (pod: Pod): boolean =>
    flags.restart === "OnFailure" ? pod.status?.phase === "Succeeded" : isDone(pod);
  const { metadata, status } = await waitFor(context, info, flags, isEnd);
  const name = `${metadata?.namespace}/${metadata?.name}`;
  if (status?.phase === "Succeeded") return;
  if (status?.phase !== "Failed")
    throw new CommandError(`pod ${name} left in phase ${status?.phase}`);
  const end = status.containerStatuses?.[0]?.state?.terminated;
  if (!end?.exitCode) throw new CommandError(`pod ${name} failed with unknown exit code`);
  throw new ExitError(
    end.exitCode,
    `pod ${name} terminated (${end.reason ?? ""})\n${end.message ?? ""}`,
  );
}

async function removeAll(
  context: Context,
  flags: RunFlags,
  created: readonly Unstructured[],
): Promise<void> {
  const client = await context.cluster.client();
  const mapper = await context.cluster.mapper();
  for (const object of created) {
    const mapping = await mapper.forKind(kindOf(object));
    const { name = "", namespace = "" } = object.metadata ?? {};
    await client.delete(mapping, { name, namespace }, { propagationPolicy: "Background" });
    const type =
      mapping.group === ""
        ? mapping.kind.toLowerCase()
        : `${mapping.kind.toLowerCase()}.${mapping.group}`;
    if (!flags.quiet) context.out.write(`${type} "${name}" deleted from ${namespace} namespace\n`);
  }
}
