/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/exec/exec.go. */
import type { Pod } from "#/api/core/v1.ts";
import { CommandError } from "../base/errors.ts";
import type { Unstructured } from "../base/unstructured.ts";
import type { Context } from "../command/context.ts";
import { chooseContainer, findContainer, noSuchContainer } from "../pods/containers.ts";
import { byActivity, podsOf } from "../pods/pods-of-object.ts";
import { runRemote } from "../streams/remote-command.ts";
import { terminalSizes, withRawTerminal } from "../streams/terminal.ts";

/** The Pod of an object, e.g. the first one of a Deployment. */
export async function attachablePod(
  context: Context,
  object: Unstructured,
  timeoutMs: number,
): Promise<Pod> {
  const found = await podsOf(context, object, {
    purpose: "cannot attach to",
    timeoutMs,
    order: byActivity,
  });
  return found[0] as Pod;
}

/** Throws if the Pod has ended. */
export function refuseFinished({ status }: Pod): void {
  const { phase = "" } = status ?? {};
  if (phase !== "Succeeded" && phase !== "Failed") return;
  throw new CommandError(
    `cannot exec into a container in a completed pod; current phase is ${phase}`,
  );
}

/** The named container, or the default one. */
export function targetContainer(
  flags: { readonly container: string; readonly quiet: boolean },
  pod: Pod,
  context: Context,
): string {
  if (flags.container === "") return chooseContainer(pod, "", context, flags).container.name;
  if (!findContainer(pod, flags.container)) throw noSuchContainer(pod, flags.container);
  return flags.container;
}

interface RemoteProcess {
  readonly pod: Pod;
  readonly container: string;
  readonly words: readonly string[];
  readonly stdin: boolean;
  readonly tty?: boolean;
}

/** The request that starts a process in a container; with a terminal, stdout and stderr are one stream. */
export function execRequest({ pod, container, words, stdin, tty }: RemoteProcess): {
  path: string;
  query: URLSearchParams;
} {
  const query = new URLSearchParams({ container });
  for (const word of words) query.append("command", word);
  if (stdin) query.set("stdin", "true");
  query.set("stdout", "true");
  query.set(tty ? "tty" : "stderr", "true");
  const path = `/api/v1/namespaces/${pod.metadata?.namespace}/pods/${pod.metadata?.name}/exec`;
  return { path, query };
}

interface ExecRequest extends RemoteProcess {
  readonly tty: boolean;
  readonly quiet: boolean;
}

/** Runs a command in a container with our streams. */
export async function execIn(context: Context, request: ExecRequest): Promise<void> {
  const { stdin } = request;
  const raw = usesTerminal(context, request);
  const streams = {
    stdin: stdin ? context.stdin : undefined,
    stdout: (chunk: Uint8Array) => context.out.write(chunk),
    stderr: raw ? undefined : (chunk: Uint8Array) => context.err.write(chunk),
    sizes: raw ? terminalSizes(context) : undefined,
  };
  const start = (): Promise<void> =>
    runRemote(context, execRequest({ ...request, tty: raw }), streams);
  await (raw ? withRawTerminal(context, start) : start());
}

/** True if the container gets a terminal: it is requested, and there is one. */
export function usesTerminal(
  context: Context,
  {
    stdin,
    tty,
    quiet,
  }: { readonly stdin: boolean; readonly tty: boolean; readonly quiet: boolean },
): boolean {
  if (!stdin || !tty) return false;
  if (context.stdin.isTerminal) return true;
  if (!quiet) {
    context.err.write("Unable to use a TTY - input is not a terminal or the right kind of file\n");
  }
  return false;
}
