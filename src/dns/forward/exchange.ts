import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { connect } from "node:net";
import type { Clock } from "#/std/time/clock.ts";
import { MessageError, readQuestion } from "../wire/query.ts";

/** An upstream DNS server. */
export interface Upstream {
  readonly host: string;
  readonly port: number;
}

export interface ExchangeOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** No response, or none that matches the question. */
class ExchangeError extends Error {
  override readonly name = "ExchangeError";
}

const truncatedBit = 0x0200;

/**
 * Sends a question to another server: by UDP, and by TCP if the response is too long for that. The
 * message's id is replaced by a random one, also in the reply; the caller's own is not sent.
 */
export async function exchange(
  upstream: Upstream,
  message: Buffer,
  options: ExchangeOptions,
): Promise<Buffer> {
  const request = Buffer.from(message);
  request.writeUInt16BE(randomInt(0x10000), 0);
  const reply = await exchangeUdp(upstream, request, options);
  if ((reply.readUInt16BE(2) & truncatedBit) === 0) return reply;
  return exchangeTcp(upstream, request, options);
}

/** Each question uses its own port, which makes it hard to forge a response. */
function exchangeUdp(
  { host, port }: Upstream,
  request: Buffer,
  { clock, timeoutMs }: ExchangeOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
    const timer = clock.setTimer(timeoutMs, () => finish(new ExchangeError("timeout")));
    const finish = (result: Buffer | Error): void => {
      timer.cancel();
      socket.close();
      if (result instanceof Error) reject(result);
      else resolve(result);
    };
    socket.once("error", finish);
    socket.on("message", (reply) => {
      if (answers(reply, request)) finish(reply);
    });
    socket.connect(port, host, () => socket.send(request));
  });
}

function exchangeTcp(
  { host, port }: Upstream,
  request: Buffer,
  { clock, timeoutMs }: ExchangeOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host);
    const timer = clock.setTimer(timeoutMs, () => finish(new ExchangeError("timeout")));
    const finish = (result: Buffer | Error): void => {
      timer.cancel();
      socket.destroy();
      if (result instanceof Error) reject(result);
      else resolve(result);
    };
    let received: Buffer = Buffer.alloc(0);
    socket.once("error", finish);
    socket.once("close", () => finish(new ExchangeError("connection closed")));
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const reply = received.subarray(2, 2 + received.readUInt16BE(0));
      finish(answers(reply, request) ? reply : new ExchangeError("answer to another question"));
    });
    socket.write(withLength(request));
  });
}

/** A message with its TCP length prefix. */
export function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

function answers(reply: Buffer, request: Buffer): boolean {
  if (reply.length < 12 || reply.readUInt16BE(0) !== request.readUInt16BE(0)) return false;
  if ((reply.readUInt16BE(2) & 0x8000) === 0) return false;
  try {
    const [asked, answered] = [readQuestion(request), readQuestion(reply)];
    const same = asked.name.toLowerCase() === answered.name.toLowerCase();
    return same && asked.type === answered.type;
  } catch (error) {
    if (error instanceof MessageError) return false;
    throw error;
  }
}
