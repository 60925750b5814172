import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import type { Clock } from "#/std/time/clock.ts";
import type { Upstream } from "../corefile/dns-config.ts";
import { answersTo, ExchangeError } from "./answers-to.ts";
import { UpstreamStream } from "./upstream-stream.ts";

export interface ExchangeOptions {
  readonly timeoutMs: number;
  readonly transport: "udp" | "tcp";
}

const truncatedBit = 0x0200;

/** Asks other servers, by connections that are kept. */
export class Exchanger implements Disposable {
  readonly #clock: Clock;
  readonly #streams = new Map<string, UpstreamStream>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Sends a question to a server: by UDP, and by TCP if the response is too long for that; by TLS if the server has a
   * name. The message's id is replaced by a random one, also in the reply; the caller's own is not sent.
   */
  readonly ask = async (
    upstream: Upstream,
    message: Buffer,
    { timeoutMs, transport }: ExchangeOptions,
  ): Promise<Buffer> => {
    const isStream = transport === "tcp" || upstream.tlsName !== undefined;
    if (isStream) return await this.#streamTo(upstream).ask(message, timeoutMs);
    const reply = await exchangeUdp(upstream, message, { clock: this.#clock, timeoutMs });
    if ((reply.readUInt16BE(2) & truncatedBit) === 0) return reply;
    return await this.#streamTo(upstream).ask(message, timeoutMs);
  };

  [Symbol.dispose](): void {
    for (const stream of this.#streams.values()) stream[Symbol.dispose]();
    this.#streams.clear();
  }

  #streamTo(upstream: Upstream): UpstreamStream {
    const { host, port, tlsName } = upstream;
    const key = `${host} ${port} ${tlsName ?? ""}`;
    const stream = this.#streams.get(key) ?? new UpstreamStream(upstream, this.#clock);
    this.#streams.set(key, stream);
    return stream;
  }
}

/** Each question uses its own port, which makes it hard to forge a response. */
function exchangeUdp(
  { host, port }: Upstream,
  message: Buffer,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<Buffer> {
  const request = Buffer.from(message);
  request.writeUInt16BE(randomInt(0x10000), 0);
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
      if (answersTo(reply, request)) finish(reply);
    });
    socket.connect(port, host, () => socket.send(request));
  });
}
