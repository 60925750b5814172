/** Upstream: k8s.io/client-go/tools/remotecommand. */
import type { Status } from "#/api/meta/v1.ts";
import type { ApiRequest } from "#/client/transport.ts";
import type { Context } from "../context.ts";
import { CommandError, ExitError } from "../errors.ts";
import { WebSocketClient } from "./web-socket.ts";

const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

const protocols = [
  "v5.channel.k8s.io",
  "v4.channel.k8s.io",
  "v3.channel.k8s.io",
  "v2.channel.k8s.io",
  "channel.k8s.io",
];

/** What connects a remote process with us. */
export interface RemoteStreams {
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  readonly stdout?: ((chunk: Uint8Array) => void) | undefined;
  readonly stderr?: ((chunk: Uint8Array) => void) | undefined;
  /** The size of the terminal, now and whenever it changes. */
  readonly sizes?: AsyncIterable<TerminalSize> | undefined;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** Runs until the remote process ends; a code that isn't 0 is thrown as ExitError. */
export async function runRemote(
  context: Context,
  request: Pick<ApiRequest, "path" | "query">,
  streams: RemoteStreams,
): Promise<void> {
  const transport = await context.cluster.transport();
  const upgraded = await transport.upgrade(
    { method: "GET", ...request, headers: { accept: "*/*" }, signal: context.signal },
    protocols,
  );
  const socket = new WebSocketClient(upgraded);
  const stop = new AbortController();
  const interrupt = (): void => socket.destroy();
  context.signal.addEventListener("abort", interrupt, { once: true });
  try {
    if (streams.stdin) void sendInput(socket, streams.stdin, stop.signal);
    if (streams.sizes) void sendSizes(socket, streams.sizes, stop.signal);
    checkStatus(await receive(socket, streams));
  } finally {
    stop.abort();
    context.signal.removeEventListener("abort", interrupt);
    socket.close();
  }
}

async function sendInput(
  socket: WebSocketClient,
  stdin: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  for await (const chunk of stdin) {
    if (signal.aborted) return;
    await socket.send(Buffer.concat([Buffer.of(channel.stdin), chunk]));
  }
  // Only the newest protocol can say that the input has ended.
  if (socket.protocol.startsWith("v5.")) await socket.send(Buffer.of(channel.close, channel.stdin));
}

async function sendSizes(
  socket: WebSocketClient,
  sizes: AsyncIterable<TerminalSize>,
  signal: AbortSignal,
): Promise<void> {
  for await (const { width, height } of sizes) {
    if (signal.aborted) return;
    const text = JSON.stringify({ Width: width, Height: height });
    await socket.send(Buffer.concat([Buffer.of(channel.resize), Buffer.from(text)]));
  }
}

/** Hands on what comes; returns the last word of the server. */
async function receive(socket: WebSocketClient, streams: RemoteStreams): Promise<string> {
  let last = "";
  for await (const message of socket.messages()) {
    const data = message.subarray(1);
    if (message[0] === channel.stdout) streams.stdout?.(data);
    else if (message[0] === channel.stderr) streams.stderr?.(data);
    else if (message[0] === channel.error) last += data.toString();
  }
  return last;
}

/** What the server says of the end: a Status, or, in old protocols, a text. */
export function checkStatus(text: string): void {
  if (text === "") return;
  let status: Status;
  try {
    status = JSON.parse(text) as Status;
  } catch {
    throw new CommandError(`error executing remote command: ${text}`);
  }
  if (status.status === "Success") return;
  if (status.reason !== "NonZeroExitCode") throw new CommandError(status.message ?? text);
  const cause = status.details?.causes?.find(({ reason }) => reason === "ExitCode");
  const code = Number(cause?.message ?? "1");
  throw new ExitError(code, `command terminated with exit code ${code}`);
}
