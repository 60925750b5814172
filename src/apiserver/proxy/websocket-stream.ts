import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { type Exchange, header, type Reply } from "../http/exchange.ts";

/** RFC 6455, section 1.3. */
const acceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const opcode = { text: 0x1, binary: 0x2, close: 0x8 } as const;
const base64Protocol = "base64.binary.k8s.io";
const protocols = ["", "binary.k8s.io", base64Protocol];

/** Whether a client wants what it reads as messages of a WebSocket. */
export function wantsWebSocket(exchange: Exchange): boolean {
  return (
    exchange.upgrade !== undefined && header(exchange, "upgrade")?.toLowerCase() === "websocket"
  );
}

/**
 * Sends a stream as messages of a WebSocket, then closes it; undefined if the client speaks none of our protocols. What
 * the client sends is not read: nothing is expected of it. Upstream: apimachinery/pkg/util/httpstream/wsstream/stream.go.
 */
export function webSocketReply(exchange: Exchange, source: Readable): Reply | undefined {
  const offered = (header(exchange, "sec-websocket-protocol") ?? "")
    .split(",")
    .map((name) => name.trim());
  const protocol = offered.find((name) => protocols.includes(name));
  const key = header(exchange, "sec-websocket-key");
  if (protocol === undefined || key === undefined || !exchange.upgrade) return undefined;
  const { socket } = exchange.upgrade();
  const accept = createHash("sha1")
    .update(key + acceptSuffix)
    .digest("base64");
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${accept}`,
  ];
  if (protocol !== "") lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  // The first message is empty, so that a client knows that the stream has begun.
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
const closeFrame = Buffer.from([0x80 | opcode.close, 2, 0x03, 0xe8]);

function frame(protocol: string, data: Buffer): Buffer {
  const asText = protocol === base64Protocol;
  const payload = asText ? Buffer.from(data.toString("base64")) : data;
  const first = 0x80 | (asText ? opcode.text : opcode.binary);
  return Buffer.concat([frameHead(first, payload.length), payload]);
}

function frameHead(first: number, length: number): Buffer {
  if (length < 126) return Buffer.from([first, length]);
  if (length < 0x10000) {
    const head = Buffer.from([first, 126, 0, 0]);
    head.writeUInt16BE(length, 2);
    return head;
  }
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
