import type { Readable } from "node:stream";
import { encodeFrame, opcodes } from "#/std/websocket/frames.ts";
import { agreement } from "#/std/websocket/handshake.ts";
import { type Exchange, header, type Reply } from "../model/exchange.ts";

const base64Protocol = "base64.binary.k8s.io";
const protocols = ["", "binary.k8s.io", base64Protocol];

/** Whether a client requests the stream as WebSocket messages. */
export function wantsWebSocket(exchange: Exchange): boolean {
  return (
    exchange.upgrade !== undefined && header(exchange, "upgrade")?.toLowerCase() === "websocket"
  );
}

/**
 * Sends a stream as WebSocket messages, then closes it; undefined if the client supports none of our protocols.
 * Messages of the client are not read. Upstream:
 * staging/src/k8s.io/apimachinery/pkg/util/httpstream/wsstream/stream.go.
 */
export function webSocketReply(exchange: Exchange, source: Readable): Reply | undefined {
  const offered = (header(exchange, "sec-websocket-protocol") ?? "")
    .split(",")
    .map((name) => name.trim());
  const protocol = offered.find((name) => protocols.includes(name));
  const key = header(exchange, "sec-websocket-key");
  if (protocol === undefined || key === undefined || !exchange.upgrade) return undefined;
  const { socket } = exchange.upgrade();
  socket.write(agreement(key, protocol));
  // The first message is empty: it signals that the stream has begun.
  socket.write(frame(protocol, Buffer.alloc(0)));
  source.on("data", (chunk: Buffer) => {
    if (socket.write(frame(protocol, chunk))) return;
    source.pause();
    socket.once("drain", () => source.resume());
  });
  source.once("end", () => socket.end(closeFrame));
  source.once("error", () => socket.destroy());
  socket.once("close", () => source.destroy());
  socket.on("error", () => socket.destroy());
  socket.resume();
  return { status: 101, headers: {}, body: { type: "upgraded" } };
}

/** A normal closure. */
const closeFrame = encodeFrame(opcodes.close, Buffer.from([0x03, 0xe8]));

function frame(protocol: string, data: Buffer): Buffer {
  return protocol === base64Protocol
    ? encodeFrame(opcodes.text, Buffer.from(data.toString("base64")))
    : encodeFrame(opcodes.binary, data);
}
