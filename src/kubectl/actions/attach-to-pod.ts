/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/attach/attach.go. */
import type { Pod } from "#/api/core/v1.ts";
import { CommandError, messageOf } from "../base/errors.ts";
import type { Context } from "../command/context.ts";
import { chooseContainer, type FoundContainer } from "../pods/containers.ts";
import { detachable, parseDetachKeys } from "../streams/detach-keys.ts";
import { runRemote } from "../streams/remote-command.ts";
import { terminalSizes, withRawTerminal } from "../streams/terminal.ts";
import { usesTerminal } from "./exec-in-pod.ts";

/** Throws if the Pod has ended. */
export function refuseToAttach({ status }: Pod): void {
  const { phase = "" } = status ?? {};
  if (phase !== "Succeeded" && phase !== "Failed") return;
  throw new CommandError(`cannot attach a container in a completed pod; current phase is ${phase}`);
}

interface AttachOptions {
  readonly container: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly quiet: boolean;
  readonly "detach-keys"?: string;
}

/** Attaches our streams to a container's process. */
export async function attachTo(context: Context, pod: Pod, options: AttachOptions): Promise<void> {
  const { container, list } = containerOf(context, pod, options);
  const { stdin, quiet } = options;
  const hasTty = container.tty === true;
  if (options.tty && !hasTty && !quiet) {
    context.err.write(
      `error: Unable to use a TTY - container ${container.name} did not allocate one\n`,
    );
  }
  const raw = usesTerminal(context, { stdin, tty: hasTty, quiet });
  if (!quiet) {
    context.err.write(
      "All commands and output from this session will be recorded in container logs, including credentials and sensitive information passed through the command prompt.\nIf you don't see a command prompt, try pressing enter.\n",
    );
  }
  const query: Record<string, string> = {
    container: container.name,
    stdout: "true",
    ...(stdin ? { stdin: "true" } : {}),
    ...(raw ? { tty: "true" } : { stderr: "true" }),
  };
  const { name = "", namespace = "" } = pod.metadata ?? {};
  const keys = raw ? parseDetachKeys(options["detach-keys"] || "ctrl-p,ctrl-q") : [];
  const streams = {
    stdin: stdin ? (raw ? detachable(context.stdin, keys) : context.stdin) : undefined,
    stdout: (chunk: Uint8Array) => context.out.write(chunk),
    stderr: raw ? undefined : (chunk: Uint8Array) => context.err.write(chunk),
    sizes: raw ? sizesWithNudge(context) : undefined,
  };
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/attach`;
  const start = (): Promise<void> => runRemote(context, { path, query }, streams);
  await (raw ? withRawTerminal(context, start) : start());
  if (quiet || !stdin || !raw) return;
  const again = `'${context.commandPath} ${name} -c ${container.name} -n ${namespace} -i -t'`;
  context.out.write(
    list === "ephemeralContainers"
      ? `Session ended, the ephemeral container will not be restarted but may be reattached using ${again} if it is still running\n`
      : `Session ended, resume using ${again} command\n`,
  );
}

function containerOf(context: Context, pod: Pod, options: AttachOptions): FoundContainer {
  try {
    return chooseContainer(pod, options.container, context, options);
  } catch (error) {
    throw new CommandError(`cannot attach to the container: ${messageOf(error)}`, { cause: error });
  }
}

/** The first size is wrong by one: the change makes the remote program redraw its screen. */
function sizesWithNudge(context: Context): ReturnType<typeof terminalSizes> {
  const size = context.terminal?.size();
  return terminalSizes(context, size ? [{ width: size.width + 1, height: size.height + 1 }] : []);
}
