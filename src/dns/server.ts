import { createSocket, type RemoteInfo, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { type Clock, systemClock, type Timer } from "#/std/time/clock.ts";
import { withLength } from "./forward/with-length.ts";
import type { DnsTransport } from "./resolver.ts";

/** Idle timeout of a TCP client (ms). */
const idleMs = 10_000;
/** Limit of TCP clients; more are refused. */
const maxConnections = 1000;

/** Answers one message; undefined means no reply. */
export type MessageHandler = (
  message: Buffer,
  transport: DnsTransport,
) => Promise<Buffer | undefined>;

/** Listens on one address, for UDP and TCP on the same port. */
export class DnsServer implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #udp: UdpSocket;
  readonly #tcp: Server;
  readonly #connections = new Set<Socket>();

  /** Port 0 takes any port that is free for both. */
  static async open(
    host: string,
    port: number,
    handler: MessageHandler,
    clock: Clock = systemClock,
  ): Promise<DnsServer> {
    const server = new DnsServer(host, handler, clock);
    try {
      await server.#listen(host, port);
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    return server;
  }

  private constructor(host: string, handler: MessageHandler, clock: Clock) {
    this.#clock = clock;
    this.#udp = createSocket(
      host.includes(":") ? { type: "udp6", ipv6Only: true } : { type: "udp4" },
    );
    this.#udp.on("message", (message, from) => void this.#answerUdp(message, from, handler));
    this.#tcp = createServer((socket) => this.#serveTcp(socket, handler));
    this.#tcp.maxConnections = maxConnections;
    // An error of one datagram or connection: the others go on.
    for (const server of [this.#udp, this.#tcp]) server.on("error", () => undefined);
  }

  get port(): number {
    return this.#udp.address().port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#connections) socket.destroy();
    await new Promise((resolve) => this.#tcp.close(resolve));
    await new Promise<void>((resolve) => this.#udp.close(resolve));
  }

  async #listen(host: string, port: number): Promise<void> {
    this.#udp.bind(port, host);
    await once(this.#udp, "listening");
    this.#tcp.listen({ host, port: this.port, ipv6Only: true });
    await once(this.#tcp, "listening");
  }

  async #answerUdp(message: Buffer, from: RemoteInfo, handler: MessageHandler): Promise<void> {
    const reply = await handler(message, "udp");
    // Ignores the error of a client that has disconnected.
    if (reply) this.#udp.send(reply, from.port, from.address, () => undefined);
  }

  #serveTcp(socket: Socket, handler: MessageHandler): void {
    this.#connections.add(socket);
    const wait = (): Timer => this.#clock.setTimer(idleMs, () => socket.destroy());
    let idle = wait();
    socket.on("close", () => {
      idle.cancel();
      this.#connections.delete(socket);
    });
    socket.on("error", () => socket.destroy());
    let received: Buffer = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      idle.cancel();
      idle = wait();
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const message = received.subarray(2, end);
        received = received.subarray(end);
        void handler(message, "tcp").then((reply) => reply && socket.write(withLength(reply)));
      }
    });
  }
}
