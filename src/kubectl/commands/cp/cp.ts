/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/cp/cp.go. */
import { stat } from "node:fs/promises";
import { basename, posix } from "node:path";
import { pods } from "#/api/core/v1.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { execRequest, refuseFinished, targetContainer } from "../../actions/exec-in-pod.ts";
import { CommandError } from "../../base/errors.ts";
import type { Output } from "../../base/host.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { containerFlag } from "../../command/shared-flags.ts";
import { type RemoteStreams, runRemote } from "../../streams/remote-command.ts";
import { cleanPath, type FileSpec, parseFileSpec } from "./file-spec.ts";
import { packFiles } from "./pack.ts";
import { streamOf } from "./stream-of.ts";
import { unpackFiles } from "./unpack.ts";

const flags = {
  ...containerFlag,
  "no-preserve": {
    type: "bool",
    help: "Do not keep the owner and the permissions of files that are copied to a container",
  },
  retries: {
    type: "int",
    help:
      "How often to resume a copy from a container after it broke off. 0 for never, a " +
      "negative number for any number of times",
  },
} satisfies FlagSet;

type CopyInvocation = Invocation<typeof flags>;

/** `kubectl cp`. */
export const cp = command({
  usage: "cp <file-spec-src> <file-spec-dest>",
  flags,
  completes: { of: "file or pod" },
  run,
});

async function run({ flags, args }: CopyInvocation, context: Context): Promise<void> {
  const { namespace } = await context.cluster.namespace();
  await context.cluster.selected();
  const [first, second] = args;
  if (first === undefined || second === undefined || args.length !== 2) {
    throw new CommandError("source and destination are required");
  }
  const [source, target] = [parseFileSpec(first), parseFileSpec(second)];
  if (source.pod !== "" && target.pod !== "") {
    throw new CommandError("one of src or dest must be a local file specification");
  }
  if (source.file === "" || target.file === "") {
    throw new CommandError("filepath can not be empty");
  }
  const copying = { context, flags, namespace };
  if (source.pod !== "") return copyFrom(copying, source, target);
  if (target.pod !== "") return copyTo(copying, source, target);
  throw new CommandError("one of src or dest must be a remote file specification");
}

interface Copying {
  readonly context: Context;
  readonly flags: CopyInvocation["flags"];
  /** The namespace of Pods that are given without one. */
  readonly namespace: string;
}

async function copyTo(copying: Copying, source: FileSpec, target: FileSpec): Promise<void> {
  const { context, flags } = copying;
  try {
    await stat(context.path(source.file));
  } catch (error) {
    const text = `${source.file} doesn't exist in local filesystem`;
    throw new CommandError(text, { cause: error });
  }
  const isFolder = await isRemoteFolder(copying, target);
  const path = isFolder ? posix.join(target.file, basename(source.file)) : target.file;
  const preserve = flags["no-preserve"] ? ["--no-same-permissions", "--no-same-owner"] : [];
  await execute(copying, target, {
    words: ["tar", ...preserve, "-xmf", "-", "-C", cleanPath(posix.dirname(path))],
    messages: context.err,
    streams: {
      stdin: packFiles(cleanPath(source.file), posix.basename(cleanPath(path)), context.path),
      stdout: (chunk) => context.out.write(chunk),
      stderr: (chunk) => context.err.write(chunk),
    },
  });
}

/** Timeout (ms) of the check whether a path is a folder. */
const folderTimeoutMs = 30_000;

async function isRemoteFolder(copying: Copying, target: FileSpec): Promise<boolean> {
  const { clock, signal } = copying.context;
  const nowhere = { write: () => undefined, isTerminal: false, columns: 0 };
  const stop = new AbortController();
  const timer = clock.setTimer(folderTimeoutMs, () => stop.abort());
  const context = { ...copying.context, signal: AbortSignal.any([signal, stop.signal]) };
  try {
    await execute({ ...copying, context }, target, {
      words: ["test", "-d", target.file],
      messages: nowhere,
      streams: { stdout: nowhere.write, stderr: nowhere.write },
    });
    return true;
  } catch (error) {
    if (stop.signal.aborted) throw new CommandError("context deadline exceeded", { cause: error });
    if (signal.aborted) throw error;
    return false;
  } finally {
    timer.cancel();
  }
}

async function copyFrom(copying: Copying, source: FileSpec, target: FileSpec): Promise<void> {
  const { context } = copying;
  const { namespace, pod, file } = source;
  const unpacking = { namespace, pod, from: file, to: target.file };
  await unpackFiles(context, unpacking, archiveOf(copying, source));
}

/** The archive of a path in a Pod; resumed after an interruption, up to the number of retries. */
async function* archiveOf(copying: Copying, source: FileSpec): AsyncGenerator<Uint8Array> {
  const { context, flags } = copying;
  const { out } = context;
  let received = 0;
  for (let retries = 0; ; ) {
    const words =
      flags.retries === 0
        ? ["tar", "cf", "-", source.file]
        : ["sh", "-c", cutCommand(source.file, received === 0 && retries === 0 ? 0 : received + 1)];
    const start = (stdout: (chunk: Uint8Array) => unknown, signal: AbortSignal): Promise<void> =>
      execute({ ...copying, context: { ...context, signal } }, source, {
        words,
        messages: out,
        streams: { stdout, stderr: (chunk) => out.write(chunk) },
      });
    for await (const chunk of streamOf(start, context.signal)) {
      received += chunk.length;
      yield chunk;
    }
    if (flags.retries >= 0 && retries >= flags.retries) {
      out.write(`Dropping out copy after ${retries} retries\n`);
      return;
    }
    retries++;
    out.write(`Resuming copy at ${received} bytes, retry ${retries}/${flags.retries}\n`);
  }
}

const cutCommand = (file: string, from: number): string =>
  `tar cf - '${file.replaceAll("'", "'\\''")}' | tail -c+${from}`;

interface Execution {
  readonly words: readonly string[];
  readonly streams: RemoteStreams;
  /** Output for the message about the chosen container. */
  readonly messages: Output;
}

/** Runs a command in the selected container. */
async function execute(
  { context, flags, namespace }: Copying,
  { pod: name, namespace: own }: FileSpec,
  { words, streams, messages }: Execution,
): Promise<void> {
  const client = await context.cluster.client();
  const pod = await client.get(pods, { name, namespace: own || namespace });
  refuseFinished(pod);
  const told = { ...context, err: messages };
  const container = targetContainer({ container: flags.container, quiet: false }, pod, told);
  const request = execRequest({ pod, container, words, stdin: streams.stdin !== undefined });
  await runRemote(context, request, streams);
}
