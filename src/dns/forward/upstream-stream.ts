import { randomInt } from "node:crypto";
import { connect, isIP, type Socket } from "node:net";
import type { Clock, Timer } from "#/std/time/clock.ts";
import { connectTls } from "#/std/tls/connect-tls.ts";
import type { Upstream } from "../corefile/dns-config.ts";
import { answersTo, ExchangeError } from "./answers-to.ts";
import { withLength } from "./with-length.ts";

/** Idle timeout of a connection (ms), as CoreDNS has it. */
const idleMs = 10_000;
/** Limit of questions in progress on a connection: their ids must differ. */
const maxAsked = 1000;

interface Asked {
  readonly request: Buffer;
  readonly timer: Timer;
  finish(result: Buffer | Error): void;
}

/** A connection to a server, by TCP or TLS, for several questions; it is opened again when it has ended. */
export class UpstreamStream implements Disposable {
  readonly #upstream: Upstream;
  readonly #clock: Clock;
  readonly #asked = new Map<number, Asked>();
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #idle: Timer | undefined;

  constructor(upstream: Upstream, clock: Clock) {
    this.#upstream = upstream;
    this.#clock = clock;
  }

  /** The response to a question, with an id of its own. */
  ask(message: Buffer, timeoutMs: number): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    if (this.#asked.size >= maxAsked) throw new ExchangeError("too many questions in progress");
    const request = Buffer.from(message);
    let id = randomInt(0x10000);
    while (this.#asked.has(id)) id = (id + 1) & 0xffff;
    request.writeUInt16BE(id, 0);
    const finish = (result: Buffer | Error): void => {
      timer.cancel();
      this.#asked.delete(id);
      this.#rest();
      if (result instanceof Error) reject(result);
      else resolve(result);
    };
    // A connection without an answer may be dead: the next question opens another.
    const timer = this.#clock.setTimer(timeoutMs, () => this.#end(new ExchangeError("timeout")));
    this.#asked.set(id, { request, timer, finish });
    this.#idle?.cancel();
    this.#connected().write(withLength(request));
    return promise;
  }

  [Symbol.dispose](): void {
    this.#end(new ExchangeError("the server is not used any more"));
  }

  #connected(): Socket {
    if (this.#socket) return this.#socket;
    const { host, port, tlsName } = this.#upstream;
    const servername = tlsName !== undefined && isIP(tlsName) === 0 ? { servername: tlsName } : {};
    const socket =
      tlsName === undefined ? connect(port, host) : connectTls({ host, port, ...servername });
    socket.on("error", (error) => this.#end(error));
    socket.on("close", () => this.#end(new ExchangeError("connection closed"), socket));
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#received = Buffer.alloc(0);
    this.#socket = socket;
    return socket;
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    while (this.#received.length >= 2) {
      const end = 2 + this.#received.readUInt16BE(0);
      if (this.#received.length < end) return;
      const reply = this.#received.subarray(2, end);
      this.#received = this.#received.subarray(end);
      const asked = reply.length >= 2 ? this.#asked.get(reply.readUInt16BE(0)) : undefined;
      if (asked && answersTo(reply, asked.request)) asked.finish(Buffer.from(reply));
    }
  }

  #rest(): void {
    if (this.#asked.size > 0 || !this.#socket) return;
    this.#idle?.cancel();
    this.#idle = this.#clock.setTimer(idleMs, () => this.#end(new ExchangeError("idle")));
  }

  #end(error: Error, ended = this.#socket): void {
    if (ended !== this.#socket) return;
    this.#idle?.cancel();
    this.#socket?.destroy();
    this.#socket = undefined;
    for (const { finish } of [...this.#asked.values()]) finish(error);
  }
}
