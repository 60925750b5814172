import { createServer as createTcp, type Socket, type Server as TcpServer } from "node:net";
import {
  createServer as createTls,
  type SecureContext,
  type TLSSocket,
  type Server as TlsServer,
} from "node:tls";
import { Http2Session } from "#/std/http2/http2-session.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import type { ClientConnection } from "./exchange.ts";
import type { FindTable, Forwarder } from "./forwarder.ts";
import { Http1Connection } from "./http1-connection.ts";
import { Http2Exchange } from "./http2-exchange.ts";
import { peekServerName } from "./peek-server-name.ts";

interface ListenerOptions {
  readonly forwarder: Forwarder;
  readonly findTable: FindTable;
  readonly clock: Clock;
  /** The port as clients know it. */
  readonly publicPort: number;
  /** The certificate for a name that a client asks for; absent for plain HTTP. */
  readonly contextFor?: (host: string) => SecureContext;
  /** How to treat a TLS connection for a name, "" for none; default as HTTP for any. */
  readonly admit?: (serverName: string) => Admission;
}

/** What becomes of a TLS connection: requests, a stream to a backend (with TLS, or decrypted), or nothing. */
export type Admission =
  | "http"
  | "refuse"
  | { readonly isPassthrough: boolean; readonly join: (connection: Socket) => void };

/** Limit of connections of a listener (count): each may take some 100 KB. */
const maxConnections = 10_000;
/** Limit of the fields of a request (bytes). */
const maxFieldBytes = 64 * 1024;
/** Limit of the time of a TLS handshake (ms). */
const handshakeMs = 10_000;
/** Interval in which connections are checked for clients that let them wait (ms). */
const checkMs = 1_000;
/** Limit of active requests of a connection (count). */
const maxStreams = 128;
/** Limit of the time that requests get to end when the listener closes (ms). */
const drainMs = 5_000;

/** Listens for clients over HTTP/1.1 and, by ALPN or from its first bytes, HTTP/2. */
export class Listener implements AsyncDisposable {
  readonly #options: ListenerOptions;
  readonly #server: TcpServer | TlsServer;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Set<Http1Connection>();
  readonly #sessions = new Set<Http2Session>();
  readonly #timer: Timer;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const { contextFor, admit, clock } = options;
    const secure = contextFor && this.#createTls(contextFor);
    if (!secure) this.#server = createTcp({ noDelay: true }, (socket) => this.#accept(socket));
    else if (!admit) this.#server = secure;
    else {
      this.#server = createTcp({ noDelay: true }, (socket) =>
        this.#acceptTls(socket, secure, admit),
      );
    }
    this.#server.maxConnections = maxConnections;
    this.#timer = clock.every(checkMs, () => this.#check(), { keepAlive: false });
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
    this.#server.close();
    for (const connection of this.#connections) connection.close();
    for (const session of this.#sessions) session.close();
    const ended = Promise.withResolvers<void>();
    using _limit = this.#options.clock.setTimer(drainMs, ended.resolve);
    for (const socket of this.#sockets) {
      socket.once("close", () => this.#sockets.size === 0 && ended.resolve());
    }
    if (this.#sockets.size > 0) await ended.promise;
    for (const socket of this.#sockets) socket.destroy();
    this.#timer.cancel();
  }

  #createTls(contextFor: (host: string) => SecureContext): TlsServer {
    return createTls(
      {
        ALPNProtocols: ["h2", "http/1.1"],
        minVersion: "TLSv1.2",
        handshakeTimeout: handshakeMs,
        noDelay: true,
        SNICallback: (host, done) => done(null, contextFor(host.toLowerCase())),
      },
      (socket) => this.#accept(socket),
    );
  }

  #acceptTls(socket: Socket, secure: TlsServer, admit: (name: string) => Admission): void {
    this.#track(socket);
    peekServerName(socket, this.#options.clock, (name) => {
      const admission = admit(name);
      if (admission === "refuse") socket.destroy();
      else if (admission !== "http" && admission.isPassthrough) admission.join(socket);
      else secure.emit("connection", socket);
    });
  }

  #track(socket: Socket): void {
    socket.on("error", () => socket.destroy());
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #accept(socket: Socket): void {
    this.#track(socket);
    const admission = this.#options.admit?.(serverNameOf(socket));
    const isHttp2 = "alpnProtocol" in socket && (socket as TLSSocket).alpnProtocol === "h2";
    if (typeof admission === "object") admission.join(socket);
    else if (isHttp2) this.#acceptHttp2(socket);
    else this.#acceptHttp1(socket);
  }

  #acceptHttp1(socket: Socket): void {
    const { forwarder, findTable, clock } = this.#options;
    const connection = new Http1Connection(socket, {
      facts: this.#factsOf(socket),
      maxHeadBytes: maxFieldBytes,
      serve: (exchange) => forwarder.serve(exchange, findTable),
      now: clock.now,
      onHttp2: () => {
        this.#connections.delete(connection);
        this.#acceptHttp2(socket);
        socket.resume();
      },
    });
    this.#connections.add(connection);
    socket.once("close", () => this.#connections.delete(connection));
  }

  #acceptHttp2(socket: Socket): void {
    const { forwarder, findTable, clock } = this.#options;
    const facts = this.#factsOf(socket);
    const session = new Http2Session(socket, {
      clock,
      maxStreams,
      maxHeaderBytes: maxFieldBytes,
      serve: (stream) =>
        new Promise((resolve) =>
          forwarder.serve(new Http2Exchange(stream, facts, resolve), findTable),
        ),
    });
    this.#sessions.add(session);
    socket.once("close", () => this.#sessions.delete(session));
  }

  #check(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const connection of this.#connections) connection.check(nowMs);
  }

  #factsOf(socket: Socket): ClientConnection {
    return {
      // An IPv4 client of a dual-stack socket has a mapped address.
      address: (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/, ""),
      scheme: this.#options.contextFor ? "https" : "http",
      port: this.#options.publicPort,
      serverName: serverNameOf(socket),
    };
  }
}

/** The name that a client has asked for, in lower case; "" for none, or without TLS. */
function serverNameOf(socket: Socket): string {
  const name = (socket as Partial<TLSSocket> & { servername?: string | false }).servername;
  return name ? name.toLowerCase() : "";
}
