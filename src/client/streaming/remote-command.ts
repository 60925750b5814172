/** Upstream: k8s.io/client-go/tools/remotecommand. */
import type { Duplex, Readable, Writable } from "node:stream";
import type { Status } from "#/api/meta/v1.ts";
import { StatusError } from "#/machinery/meta/status-error.ts";
import { SpdyConnection } from "#/std/spdy/spdy-connection.ts";
import type { Clock } from "#/std/time/clock.ts";
import { WebSocket } from "#/std/websocket/websocket.ts";
import type { ApiRequest, Transport, UpgradedStream } from "../transport/transport.ts";
import { ChannelConnection, channels, streamProtocols } from "./channels.ts";

/** Which streams a command has. */
export interface CommandStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  /** Of no effect with a terminal, where both outputs are one. */
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** A command that runs, or that was attached to. */
export interface RemoteCommand {
  readonly stdin: Writable | undefined;
  readonly stdout: Readable | undefined;
  readonly stderr: Readable | undefined;
  /** Resolves with how it ended: Success, or a Failure that may hold the exit code. Rejects if nobody knows. */
  readonly status: Promise<Status>;
  resize(size: TerminalSize): void;
  /** Hangs up. */
  close(): void;
}

export interface OpenCommandOptions {
  /** What is asked for first; default WebSocket, then SPDY if the server refuses it. */
  readonly upgrades?: readonly ("websocket" | "spdy")[];
  /** WebSocket protocols; default version 5 alone, as others can't end stdin. */
  readonly protocols?: readonly string[];
  /** Times the signs of life of a WebSocket, of which there are none without it. */
  readonly clock?: Clock;
}

/** What is offered over SPDY, the best first. */
export const spdyProtocols = [
  streamProtocols.v4,
  streamProtocols.v3,
  streamProtocols.v2,
  streamProtocols.v1,
];

/** Opens the streams of an exec or attach request, whose query says the same of them. */
export async function openRemoteCommand(
  transport: Transport,
  request: ApiRequest,
  streams: CommandStreams,
  options: OpenCommandOptions = {},
): Promise<RemoteCommand> {
  const { upgrades = ["websocket", "spdy"], protocols = [streamProtocols.v5] } = options;
  let refused: unknown;
  for (const upgrade of upgrades) {
    try {
      if (upgrade === "spdy") return await openSpdy(transport, request, streams);
      const asked = { ...request, method: "GET" };
      return overWebSocket(await transport.upgrade(asked, protocols), streams, options.clock);
    } catch (error) {
      // A server that doesn't agree is asked in the next way; what it says to the last one counts.
      if (!(error instanceof StatusError)) throw error;
      refused = error;
    }
  }
  throw refused;
}

/** How often the other end is asked for a sign of life, so that nobody between takes the connection for dead. */
const heartbeatMs = 5000;

/** A command over a WebSocket that has been opened. */
export function overWebSocket(
  upgraded: UpgradedStream,
  streams: CommandStreams,
  clock?: Clock,
): RemoteCommand {
  const { socket, head, protocol } = upgraded;
  const webSocket = new WebSocket(socket, { role: "client", head });
  const numbers = [...channelsOf(streams), channels.resize];
  const connection = new ChannelConnection(webSocket, protocol, numbers);
  const heartbeat = clock?.every(heartbeatMs, () => void webSocket.ping(), { keepAlive: false });
  void connection.ended.then(() => heartbeat?.cancel());
  const find = (wanted: boolean, number: number): Duplex | undefined =>
    wanted ? connection.channel(number) : undefined;
  const resizes = connection.channel(channels.resize);
  return {
    stdin: find(streams.stdin, channels.stdin),
    stdout: find(streams.stdout, channels.stdout),
    stderr: find(streams.stderr && !streams.tty, channels.stderr),
    status: readStatus(connection.channel(channels.error), connection.ended),
    resize: (size) => void resizes.write(formatSize(size)),
    close: () => connection.close(),
  };
}

/** The numbers of the channels that a command's streams need. */
export function channelsOf({ stdin, stdout, stderr, tty }: CommandStreams): number[] {
  return [
    channels.error,
    ...(stdin ? [channels.stdin] : []),
    ...(stdout ? [channels.stdout] : []),
    ...(stderr && !tty ? [channels.stderr] : []),
  ];
}

async function openSpdy(
  transport: Transport,
  request: ApiRequest,
  streams: CommandStreams,
): Promise<RemoteCommand> {
  const asked = {
    ...request,
    method: "POST",
    headers: { ...request.headers, upgrade: "SPDY/3.1" },
  };
  return overSpdy(await transport.upgrade(asked, spdyProtocols), streams);
}

/**
 * A command over a SPDY connection that has been opened. Nothing is said on the streams that are only read, not even that
 * nothing will be: a server hangs up when the command has ended, and what comes in then makes its last words get lost.
 */
export async function overSpdy(
  { socket, head }: Pick<UpgradedStream, "socket" | "head">,
  { stdin, stdout, stderr, tty }: CommandStreams,
): Promise<RemoteCommand> {
  const connection = new SpdyConnection(socket, { role: "client", head });
  const open = (streamType: string) => connection.openStream({ streamType });
  const error = await open("error");
  const resizes = tty ? await open("resize") : undefined;
  const input = stdin ? await open("stdin") : undefined;
  const output = stdout ? await open("stdout") : undefined;
  const errors = stderr && !tty ? await open("stderr") : undefined;
  return {
    stdin: input,
    stdout: output,
    stderr: errors,
    status: readStatus(error, connection.ended),
    resize: (size) => void resizes?.write(formatSize(size)),
    close: () => connection.close(),
  };
}

const formatSize = ({ width, height }: TerminalSize): string =>
  `${JSON.stringify({ Width: width, Height: height })}\n`;

/** What the error stream says: a Status; nothing if all went well and the server is an old one. */
async function readStatus(stream: Readable, ended: Promise<void>): Promise<Status> {
  const parts: Buffer[] = [];
  stream.on("data", (part: Buffer) => parts.push(part));
  const finished = new Promise<void>((resolve, reject) => {
    stream.once("end", resolve);
    stream.once("error", reject);
    stream.once("close", resolve);
  });
  // One message is all there is, and the stream may stay open behind it.
  const whole = new Promise<void>((resolve) => {
    stream.on("data", () => void (isWhole(Buffer.concat(parts).toString()) && resolve()));
  });
  await Promise.race([whole, finished, ended.then(() => finished)]);
  return parseStatus(Buffer.concat(parts).toString());
}

function isWhole(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

function parseStatus(text: string): Status {
  if (text === "") return { metadata: {}, status: "Success" };
  try {
    return JSON.parse(text) as Status;
  } catch {
    return {
      metadata: {},
      status: "Failure",
      message: `error executing remote command: ${text}`,
    };
  }
}

/** The exit code that a Status tells; 0 for success, undefined if it tells none. */
export function exitCodeOf({ status, reason, details }: Status): number | undefined {
  if (status === "Success") return 0;
  if (reason !== "NonZeroExitCode") return undefined;
  const cause = details?.causes?.find((one) => one.reason === "ExitCode");
  return cause?.message === undefined ? undefined : Number(cause.message);
}
