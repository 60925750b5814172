/**
 * Upstream: staging/src/k8s.io/client-go/tools/remotecommand, staging/src/k8s.io/kubectl/pkg/cmd/exec/exec.go
 * (createExecutor).
 */
import type { Readable, Writable } from "node:stream";
import type { Status } from "#/api/meta/v1.ts";
import {
  exitCodeOf,
  openRemoteCommand,
  type RemoteCommand,
  type TerminalSize,
} from "#/client/streaming/remote-command.ts";
import type { ApiRequest } from "#/client/transport/transport.ts";
import { ProtocolError } from "#/std/websocket/frames.ts";
import { CommandError, ExitError } from "../base/errors.ts";
import type { Context } from "../command/context.ts";
import { drained } from "./drained.ts";
import { isTurnedOff, upgradeFailure } from "./upgrade-failure.ts";

/** The local streams for a remote process. */
export interface RemoteStreams {
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /** Resolves when the output accepts more data; undefined if it need not be awaited. */
  readonly stdout?: ((chunk: Uint8Array) => unknown) | undefined;
  readonly stderr?: ((chunk: Uint8Array) => unknown) | undefined;
  /** The size of the terminal, now and whenever it changes. */
  readonly sizes?: AsyncIterable<TerminalSize> | undefined;
}

/** Exit code of a program that was interrupted. */
const interrupted = 130;

/** Runs until the remote process ends; throws ExitError if its exit code isn't 0. */
export async function runRemote(
  context: Context,
  request: Pick<ApiRequest, "path" | "query">,
  streams: RemoteStreams,
): Promise<void> {
  const command = await open(context, request, streams);
  const stop = new AbortController();
  const interrupt = (): void => {
    stop.abort();
    command.close();
  };
  context.signal.addEventListener("abort", interrupt, { once: true });
  if (context.signal.aborted) interrupt();
  try {
    const input = Promise.withResolvers<never>();
    void sendInput(command.stdin, streams.stdin, stop.signal).catch(input.reject);
    if (streams.sizes) void sendSizes(command, streams.sizes, stop.signal);
    const outputs = Promise.all([
      command.status,
      receive(command.stdout, streams.stdout),
      receive(command.stderr, streams.stderr),
    ]);
    const [status] = await Promise.race([outputs, input.promise]);
    checkStatus(status);
  } catch (error) {
    if (context.signal.aborted) throw new ExitError(interrupted);
    if (!(error instanceof ProtocolError)) throw error;
    throw new CommandError(`error reading from error stream: next reader: ${error.message}`, {
      cause: error,
    });
  } finally {
    stop.abort();
    context.signal.removeEventListener("abort", interrupt);
    command.close();
  }
}

/** Connects by WebSocket unless disabled by the user; falls back to SPDY if the server rejects it. */
async function open(
  context: Context,
  request: Pick<ApiRequest, "path" | "query">,
  { stdin, stdout, stderr, sizes }: RemoteStreams,
): Promise<RemoteCommand> {
  const wanted = {
    stdin: stdin !== undefined,
    stdout: stdout !== undefined,
    stderr: stderr !== undefined,
    tty: sizes !== undefined,
  };
  const { signal, clock, env } = context;
  const asked = { method: "POST", ...request, headers: { accept: "*/*" }, signal };
  const options = isTurnedOff(env["KUBECTL_REMOTE_COMMAND_WEBSOCKETS"])
    ? { upgrades: ["spdy"] as const }
    : { clock };
  try {
    return await openRemoteCommand(await context.cluster.transport(), asked, wanted, options);
  } catch (error) {
    throw upgradeFailure(error);
  }
}

async function sendInput(
  to: Writable | undefined,
  stdin: AsyncIterable<Uint8Array> | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (!to || !stdin) return;
  to.on("error", () => undefined); // The status reports the end.
  for await (const chunk of stdin) {
    if (signal.aborted || to.destroyed) return;
    if (!to.write(chunk)) await drained(to, signal);
  }
  to.end();
}

async function sendSizes(
  command: RemoteCommand,
  sizes: AsyncIterable<TerminalSize>,
  signal: AbortSignal,
): Promise<void> {
  for await (const size of sizes) {
    if (signal.aborted) return;
    command.resize(size);
  }
}

async function receive(
  from: Readable | undefined,
  take: ((chunk: Uint8Array) => unknown) | undefined,
): Promise<void> {
  if (!from || !take) return;
  for await (const chunk of from) await take(chunk as Uint8Array);
}

/** The status that the server sends at the end. */
function checkStatus(status: Status): void {
  if (status.status === "Success") return;
  if (status.reason !== "NonZeroExitCode") throw new CommandError(status.message ?? "");
  const code = exitCodeOf(status);
  if (code === undefined) {
    throw new CommandError("error stream protocol error: no ExitCode cause given");
  }
  throw new ExitError(code, `command terminated with exit code ${code}`);
}
