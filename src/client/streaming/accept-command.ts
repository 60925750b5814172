/**
 * Upstream: staging/src/k8s.io/cri-streaming/pkg/streaming/remotecommand/websocket.go,
 * staging/src/k8s.io/apiserver/pkg/util/proxy/streamtranslator.go.
 */
import type { Duplex, Readable } from "node:stream";
import type { Status } from "#/api/meta/v1.ts";
import { agreement, offeredProtocols } from "#/std/websocket/handshake.ts";
import { WebSocket } from "#/std/websocket/websocket.ts";
import { ChannelConnection, channels, streamProtocols } from "./channels.ts";
import { type CommandStreams, channelsOf, type RemoteCommand } from "./remote-command.ts";

/** A request for a WebSocket, and its connection. */
export interface WebSocketRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly socket: Duplex;
  readonly head: Uint8Array;
}

/** Protocols of exec and attach servers, the preferred first. */
const spoken: readonly string[] = [
  streamProtocols.v5,
  streamProtocols.v4,
  "base64.channel.k8s.io",
  "v4.base64.channel.k8s.io",
  streamProtocols.v1,
];

/**
 * Accepts a WebSocket with the streams of a command; undefined if no requested protocol is known.
 */
export function acceptCommand(
  { headers, socket, head }: WebSocketRequest,
  streams: CommandStreams,
): ChannelConnection | undefined {
  const key = headers["sec-websocket-key"];
  const offered = offeredProtocols(String(headers["sec-websocket-protocol"] ?? ""));
  const protocol = offered.length === 0 ? "" : spoken.find((name) => offered.includes(name));
  if (typeof key !== "string" || protocol === undefined) return undefined;
  socket.write(agreement(key, protocol));
  const webSocket = new WebSocket(socket, { role: "server", head });
  const numbers = [...channelsOf(streams), channels.resize];
  const connection = new ChannelConnection(webSocket, protocol, numbers);
  void connection.greet(firstOutput(streams));
  return connection;
}

const firstOutput = ({ stdout, stderr }: CommandStreams): number => {
  if (stdout) return channels.stdout;
  return stderr ? channels.stderr : channels.error;
};

/**
 * Connects a client's streams with a command's, until the command has ended or the client has
 * disconnected.
 */
export async function joinCommand(
  client: ChannelConnection,
  command: RemoteCommand,
  streams: CommandStreams,
): Promise<void> {
  if (command.stdin) client.channel(channels.stdin).pipe(command.stdin);
  readSizes(client.channel(channels.resize), (size) => command.resize(size));
  const outputs = [
    pass(command.stdout, streams.stdout ? client.channel(channels.stdout) : undefined),
    pass(command.stderr, command.stderr ? client.channel(channels.stderr) : undefined),
  ];
  const finished = command.status.then(async (status) => {
    await Promise.all(outputs);
    await sendStatus(client, status);
  });
  await Promise.race([finished, client.ended]).finally(() => {
    client.close();
    command.close();
  });
}

/** Copies data until its end. */
function pass(from: Readable | undefined, to: Duplex | undefined): Promise<void> {
  if (!from || !to) return Promise.resolve();
  return new Promise((resolve) => {
    // All data is written before the end is reported.
    const flush = (): void => void to.write(Buffer.alloc(0), () => resolve());
    for (const event of ["end", "close", "error"]) from.once(event, flush);
    from.pipe(to, { end: false });
  });
}

/** Sends the exit status of a command to its client. */
export function sendStatus(client: ChannelConnection, status: Status): Promise<void> {
  return new Promise((resolve) => {
    client.channel(channels.error).write(JSON.stringify(status), () => resolve());
  });
}

/** Terminal sizes are JSON, one per line or message. */
function readSizes(
  stream: Readable,
  resize: (size: { width: number; height: number }) => void,
): void {
  stream.on("data", (data: Buffer) => {
    for (const line of data.toString().split("\n")) {
      try {
        const { Width = 0, Height = 0 } = JSON.parse(line) as { Width?: number; Height?: number };
        resize({ width: Width, height: Height });
      } catch {
        // An incomplete or empty line: skipped, as the next size replaces it.
      }
    }
  });
}
