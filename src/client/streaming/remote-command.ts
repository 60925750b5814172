/** Upstream: staging/src/k8s.io/client-go/tools/remotecommand. */
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
  /** No effect with a terminal, which merges both outputs. */
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** A started or attached command. */
export interface RemoteCommand {
  readonly stdin: Writable | undefined;
  readonly stdout: Readable | undefined;
  readonly stderr: Readable | undefined;
  /**
   * Resolves with the exit status: Success, or a Failure that may hold the exit code. Rejects if it
   * is unknown.
   */
  readonly status: Promise<Status>;
  resize(size: TerminalSize): void;
  /** Closes the connection. */
  close(): void;
}

interface OpenCommandOptions {
  /** Protocols in the order tried; default WebSocket, then SPDY if the server refuses it. */
  readonly upgrades?: readonly ("websocket" | "spdy")[];
  /** WebSocket protocols; default version 5 only, as others can't end stdin. */
  readonly protocols?: readonly string[];
  /** Times the heartbeats of a WebSocket; there are none without it. */
  readonly clock?: Clock;
}

/** Protocols offered over SPDY, the preferred first. */
export const spdyProtocols = [
  streamProtocols.v4,
  streamProtocols.v3,
  streamProtocols.v2,
  streamProtocols.v1,
];

/** Opens the streams of an exec or attach request; they must match its query. */
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
      // After a refusal the next protocol is tried; the last refusal is thrown.
      if (!(error instanceof StatusError)) throw error;
      refused = error;
    }
  }
  throw refused;
}

/** Interval of WebSocket pings (ms), so that no proxy in between takes the connection for idle. */
const heartbeatMs = 5000;

/** A command over an open WebSocket. */
function overWebSocket(
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

/** The channel numbers of a command's streams. */
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
 * A command over an open SPDY connection. Nothing is sent on the streams that are only read, not
 * even their end: a server closes the connection when the command has ended, and data that arrives
 * then makes the system drop its last output.
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

/** Reads the Status of the error stream; an empty stream means success from an old server. */
async function readStatus(stream: Readable, ended: Promise<void>): Promise<Status> {
  const parts: Buffer[] = [];
  stream.on("data", (part: Buffer) => parts.push(part));
  const finished = new Promise<void>((resolve, reject) => {
    stream.once("end", resolve);
    stream.once("error", reject);
    stream.once("close", resolve);
  });
  // There is only one message, and the stream may stay open after it.
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

/** The exit code in a Status; 0 for success, undefined if there is none. */
export function exitCodeOf({ status, reason, details }: Status): number | undefined {
  if (status === "Success") return 0;
  if (reason !== "NonZeroExitCode") return undefined;
  const cause = details?.causes?.find((one) => one.reason === "ExitCode");
  return cause?.message === undefined ? undefined : Number(cause.message);
}
