import type { Server } from "node:http";
import { createServer as createTcp, type Socket, type Server as TcpServer } from "node:net";
import {
  createServer as createTls,
  type SecureContext,
  type TLSSocket,
  type Server as TlsServer,
} from "node:tls";
import { Http2Session } from "#/std/http2/http2-session.ts";
import { createServer as createHttp1 } from "#/std/net/node-http.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Backends } from "../backends/backends.ts";
import type { ClientConnection } from "./exchange.ts";
import type { Forwarder } from "./forwarder.ts";
import { http1Reply, http1Request } from "./http1-exchange.ts";
import { http2Reply, http2Request } from "./http2-exchange.ts";
import { isWebSocket, serveUpgrade } from "./upgrades.ts";

interface ListenerOptions {
  readonly forwarder: Forwarder;
  readonly backends: Backends;
  readonly clock: Clock;
  /** The port as clients know it. */
  readonly publicPort: number;
  /** The certificate for a name that a client asks for; absent for plain HTTP. */
  readonly contextFor?: (host: string) => SecureContext;
}

/** Limit of connections of a listener (count): each may take some 100 KB. */
const maxConnections = 10_000;
/** Limit of the fields of a request (bytes). */
const maxFieldBytes = 64 * 1024;
/** Limit of the time for the fields of a request (ms): slow ones keep a connection busy. */
const fieldsMs = 15_000;
/** Limit of the time of a TLS handshake (ms). */
const handshakeMs = 10_000;
/** Limit of the time between requests of a connection (ms), as nginx has it. */
const keepAliveMs = 75_000;
/** Limit of the time in which a connection transfers nothing (ms). */
const silentMs = 15 * 60_000;
/** Limit of active requests of a connection (count). */
const maxStreams = 128;
/** Limit of the time that requests get to end when the listener closes (ms). */
const drainMs = 5_000;

/** Listens for clients over HTTP/1.1 and, by ALPN, HTTP/2. */
export class Listener implements AsyncDisposable {
  readonly #options: ListenerOptions;
  readonly #http1: Server;
  readonly #server: TcpServer | TlsServer;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<Http2Session>();
  #isClosing = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#http1 = createHttp1({
      maxHeaderSize: maxFieldBytes,
      headersTimeout: fieldsMs,
      requestTimeout: 0,
      connectionsCheckingInterval: fieldsMs / 3,
      keepAliveTimeout: keepAliveMs,
      requireHostHeader: true,
      shouldUpgradeCallback: isWebSocket,
    });
    // It never listens itself, but checks the timeouts of its connections only after this event.
    this.#http1.emit("listening");
    this.#http1.timeout = silentMs;
    this.#serveHttp1();
    const { contextFor } = options;
    this.#server = contextFor
      ? createTls(
          {
            ALPNProtocols: ["h2", "http/1.1"],
            minVersion: "TLSv1.2",
            handshakeTimeout: handshakeMs,
            SNICallback: (host, done) => done(null, contextFor(host.toLowerCase())),
          },
          (socket) => this.#accept(socket),
        )
      : createTcp((socket) => this.#accept(socket));
    this.#server.maxConnections = maxConnections;
  }

  /** Starts listening; resolves with the port. */
  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ port, host }, () => {
        this.#server.off("error", reject);
        const bound = this.#server.address();
        resolve(typeof bound === "object" && bound ? bound.port : port);
      });
    });
  }

  /** Number of open connections. */
  get size(): number {
    return this.#sockets.size;
  }

  /** Accepts no more connections; active requests get some time to end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    this.#server.close();
    this.#http1.closeIdleConnections();
    for (const session of this.#sessions) session.close();
    const ended = Promise.withResolvers<void>();
    using _limit = this.#options.clock.setTimer(drainMs, ended.resolve);
    for (const socket of this.#sockets) {
      socket.once("close", () => this.#sockets.size === 0 && ended.resolve());
    }
    if (this.#sockets.size > 0) await ended.promise;
    for (const socket of this.#sockets) socket.destroy();
    this.#http1.close();
  }

  #serveHttp1(): void {
    const { forwarder, backends } = this.#options;
    this.#http1.on("request", (incoming, response) => {
      response.once("finish", () => {
        if (this.#isClosing) incoming.socket.end();
      });
      const request = http1Request(incoming, this.#connectionOf(incoming.socket));
      forwarder.serve(request, http1Reply(incoming, response));
    });
    this.#http1.on("upgrade", (incoming, socket, head) => {
      const connection = this.#connectionOf(incoming.socket);
      serveUpgrade(incoming, socket, head, connection, { forwarder, backends });
    });
  }

  #accept(socket: Socket): void {
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    const isHttp2 = "alpnProtocol" in socket && (socket as TLSSocket).alpnProtocol === "h2";
    if (isHttp2) this.#acceptHttp2(socket);
    else this.#http1.emit("connection", socket);
  }

  #acceptHttp2(socket: Socket): void {
    const { forwarder, clock } = this.#options;
    const connection = this.#connectionOf(socket);
    const session = new Http2Session(socket, {
      clock,
      maxStreams,
      maxHeaderBytes: maxFieldBytes,
      serve: (stream) =>
        new Promise((resolve) => {
          forwarder.serve(http2Request(stream, connection), http2Reply(stream, resolve));
        }),
    });
    this.#sessions.add(session);
    socket.once("close", () => this.#sessions.delete(session));
  }

  #connectionOf(socket: Socket): ClientConnection {
    return {
      // An IPv4 client of a dual-stack socket has a mapped address.
      address: (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/, ""),
      scheme: this.#options.contextFor ? "https" : "http",
      port: this.#options.publicPort,
    };
  }
}
