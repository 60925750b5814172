import { once } from "node:events";
import type { IncomingMessage, ServerResponse as Response, Server } from "node:http";
import { createServer as createTcp, type Socket, type Server as TcpServer } from "node:net";
import {
  createServer as createTls,
  type TLSSocket,
  type TlsOptions,
  type Server as TlsServer,
} from "node:tls";
import { systemRandom } from "#/std/base/random.ts";
import { errorCodes } from "#/std/http2/frame.ts";
import { Http2Session } from "#/std/http2/http2-session.ts";
import type { Http2Stream } from "#/std/http2/http2-stream.ts";
import { fieldsByName } from "#/std/http2/request-fields.ts";
import { createServer as createHttp1, ServerResponse } from "#/std/net/node-http.ts";
import type { Clock } from "#/std/time/clock.ts";
import { enterWork } from "#/std/time/turn-watch.ts";
import { type Handler, type Reply, textReply } from "../model/exchange.ts";
import { isLongRunning } from "../model/long-running.ts";
import { hasInvalidEscape } from "../model/request-path.ts";
import { incomingBody, NodeExchange, originForm, peerOf } from "./node-exchange.ts";
import { writeHttp1, writeHttp2 } from "./reply-writer.ts";
import { type Sending, SendingLimit } from "./sending-limit.ts";

export interface ServerOptions {
  readonly handler: Handler;
  readonly clock: Clock;
  /** Absent for plain HTTP (tests). */
  readonly tls?: TlsOptions;
  readonly onError: (error: unknown) => void;
  /** Off: HTTP/1.1 only. */
  readonly http2?: boolean;
  /** Limit of concurrent requests on one HTTP/2 connection; 0 for the default. */
  readonly maxStreams?: number;
  /** Limit of the time for sending the headers of a request; default 32 s. */
  readonly headersTimeoutMs?: number;
  /** Limit of the time from a request until all of its response is sent; default 60 s. */
  readonly requestTimeoutMs?: number;
  /** Probability of a GOAWAY after an HTTP/2 request, so that clients spread over servers. */
  readonly goawayChance?: number;
}

/** Limit of the time for sending headers, as in upstream (ms). */
const defaultHeadersTimeoutMs = 32_000;
/** Limit of the time between checks of connections (ms). */
const checkMs = 5_000;
/** Upstream's default (ms). */
const defaultRequestTimeoutMs = 60_000;
const keepAliveTimeoutMs = 180_000;
/** Upstream's default. */
const defaultMaxStreams = 100;
const maxHeaderBytes = 1 << 20;
/** As in Go's servers. */
const lingerMs = 500;
const shuttingDown = new Error("the server is shutting down");
const clientGone = new Error("the client has gone");

/** An HTTP/1.1 and HTTP/2 server (by ALPN) in front of a handler. */
export class ApiHttpServer implements AsyncDisposable {
  readonly #options: ServerOptions;
  readonly #http1: Server;
  readonly #listener: TcpServer | TlsServer;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<Http2Session>();
  readonly #exchanges = new Set<NodeExchange>();
  readonly #sendingLimit: SendingLimit;
  /** Called when the last pending request has ended. */
  #idle: (() => void) | undefined;
  #dateSeconds = 0;
  #dateText = "";

  constructor(options: ServerOptions) {
    this.#options = options;
    const { clock, requestTimeoutMs = defaultRequestTimeoutMs } = options;
    this.#sendingLimit = new SendingLimit(clock, requestTimeoutMs);
    const headersTimeout = options.headersTimeoutMs ?? defaultHeadersTimeoutMs;
    this.#http1 = createHttp1({
      maxHeaderSize: maxHeaderBytes,
      headersTimeout,
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(headersTimeout, checkMs),
    });
    // It never listens itself, but checks the timeouts of its connections only after a "listening" event.
    this.#http1.emit("listening");
    this.#http1.keepAliveTimeout = keepAliveTimeoutMs;
    this.#http1.on("request", (request, response) => void this.#serveHttp1(request, response));
    this.#http1.on(
      "upgrade",
      (request, socket, head) => void this.#serveUpgrade(request, socket as Socket, head),
    );
    this.#listener = options.tls
      ? createTls({ ALPNProtocols: protocols(options), ...options.tls }, (socket) =>
          this.#accept(socket),
        )
      : createTcp((socket) => this.#accept(socket));
  }

  /** Starts listening, optionally at a shared port; resolves with the port. */
  listen(port: number, host: string, reusePort = false): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#listener.once("error", reject);
      this.#listener.listen({ port, host, reusePort }, () => {
        this.#listener.off("error", reject);
        const bound = this.#listener.address();
        resolve(typeof bound === "object" && bound ? bound.port : port);
      });
    });
  }

  /** The same at a unix socket. */
  async listenAtSocket(path: string): Promise<void> {
    const listening = once(this.#listener, "listening");
    this.#listener.listen(path);
    await listening;
  }

  /** Sets the certificates for new connections. */
  setTls(options: TlsOptions): void {
    if ("setSecureContext" in this.#listener) this.#listener.setSecureContext(options);
  }

  /** Pending requests. */
  get active(): number {
    return this.#exchanges.size;
  }

  /** Accepts no new connections; open ones are asked to finish. */
  stopAccepting(): void {
    this.#listener.close();
    for (const session of this.#sessions) session.close();
    this.#http1.closeIdleConnections();
  }

  /**
   * Ends watches and streams, spread over the given time, and waits until every other request has its response, or the
   * time is over.
   */
  async drain(limitMs: number, watchesMs = 0): Promise<void> {
    const { clock } = this.#options;
    const long = [...this.#exchanges].filter(({ info }) => isLongRunning(info));
    const stepMs = watchesMs / Math.max(1, long.length);
    for (const exchange of long) {
      exchange.abort(shuttingDown);
      if (stepMs > 0) await clock.sleep(stepMs);
    }
    if (this.#exchanges.size === 0) return;
    const idle = Promise.withResolvers<void>();
    this.#idle = idle.resolve;
    using _limit = clock.setTimer(limitMs, idle.resolve);
    await idle.promise;
  }

  /** Ends everything now. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.#http1.close();
    this.#sendingLimit[Symbol.dispose]();
    for (const exchange of this.#exchanges) exchange.abort(shuttingDown);
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): void {
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    this.#track(this.#sockets, socket);
    const http2 = "alpnProtocol" in socket && (socket as TLSSocket).alpnProtocol === "h2";
    if (http2) {
      this.#acceptHttp2(socket);
      return;
    }
    hangUpGently(socket, this.#options.clock);
    this.#http1.emit("connection", socket);
    passByStream(socket);
  }

  #acceptHttp2(socket: Socket): void {
    const { clock, maxStreams } = this.#options;
    const session = new Http2Session(socket, {
      clock,
      maxStreams: maxStreams || defaultMaxStreams,
      maxHeaderBytes,
      serve: (stream) => this.#serveHttp2(stream, socket),
    });
    this.#sessions.add(session);
    socket.once("close", () => this.#sessions.delete(session));
  }

  #track<T extends { once(event: "close", listener: () => void): unknown }>(
    set: Set<T>,
    member: T,
  ): void {
    set.add(member);
    member.once("close", () => set.delete(member));
  }

  async #serveHttp1(request: IncomingMessage, response: Response): Promise<void> {
    const exchange = this.#exchange(request, undefined);
    const answer = http1Answer(response, exchange);
    response.once("close", () => {
      if (!response.writableFinished) exchange.abort(clientGone);
      this.#sendingLimit.written(answer);
    });
    await this.#serve(exchange, answer);
  }

  async #serveUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const exchange = this.#exchange(request, () => ({ socket, head }));
    socket.once("close", () => exchange.abort(clientGone));
    const write = async (reply: Reply): Promise<void> => {
      if (reply.body.type === "upgraded") return;
      // The verb refused the upgrade: respond as to any other request, then close the connection.
      const response = new ServerResponse(request);
      response.assignSocket(socket);
      response.shouldKeepAlive = false;
      await writeHttp1(response, reply, exchange);
      response.once("finish", () => socket.end());
    };
    // An upgraded connection has no end that the server knows.
    await this.#serve(exchange, { write, isSent: true, giveUp: () => undefined });
  }

  async #serveHttp2(stream: Http2Stream, socket: Socket): Promise<void> {
    const headers = fieldsByName(stream.fields);
    const exchange = new NodeExchange({
      method: headers[":method"] ?? "GET",
      url: headers[":path"] ?? "/",
      headers,
      rawHeaders: stream.fields,
      source: stream,
      peer: peerOf(socket),
      receivedMs: this.#options.clock.monotonicMs(),
      http2: true,
    });
    const { goawayChance = 0 } = this.#options;
    if (goawayChance > 0 && systemRandom() < goawayChance) stream.closeConnection();
    stream.onAbort = () => exchange.abort(clientGone);
    await this.#serve(exchange, new Http2Answer(stream, exchange, () => this.#date()));
  }

  /** The Date header, made once per second. */
  #date(): string {
    const seconds = Math.floor(this.#options.clock.now() / 1000);
    if (seconds !== this.#dateSeconds) {
      this.#dateSeconds = seconds;
      this.#dateText = new Date(seconds * 1000).toUTCString();
    }
    return this.#dateText;
  }

  #exchange(request: IncomingMessage, upgrade: NodeExchange["upgrade"]): NodeExchange {
    return new NodeExchange({
      method: request.method ?? "GET",
      url: originForm(request),
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      source: incomingBody(request),
      peer: peerOf(request.socket),
      receivedMs: this.#options.clock.monotonicMs(),
      upgrade,
    });
  }

  async #serve(exchange: NodeExchange, answer: Answer): Promise<void> {
    this.#exchanges.add(exchange);
    enterWork(exchange);
    try {
      // Go's server refuses such a request before any handler.
      const isMalformed = hasInvalidEscape(exchange.rawPath);
      const reply = isMalformed
        ? textReply(400, "400 Bad Request")
        : await this.#options.handler(exchange);
      const written = answer.write(reply);
      // Most responses are sent at once.
      if (!answer.isSent && !isLongRunning(exchange.info)) {
        this.#sendingLimit.begin(answer, exchange.receivedMs);
      }
      await written;
    } catch (error) {
      this.#options.onError(error);
      const reply = textReply(500, "Internal Server Error\n");
      await answer.write(reply).catch(this.#options.onError);
    } finally {
      this.#sendingLimit.written(answer);
      this.#exchanges.delete(exchange);
      if (this.#exchanges.size === 0) this.#idle?.();
    }
  }
}

/** The response to a request, on its connection. */
interface Answer extends Sending {
  /** Resolves when all of it is written, which may be before it is sent. */
  write(reply: Reply): Promise<void>;
}

/** A class, because an object literal with a getter costs each request several times as much. */
class Http2Answer implements Answer {
  readonly #stream: Http2Stream;
  readonly #exchange: NodeExchange;
  readonly #date: () => string;

  constructor(stream: Http2Stream, exchange: NodeExchange, date: () => string) {
    this.#stream = stream;
    this.#exchange = exchange;
    this.#date = date;
  }

  get isSent(): boolean {
    return this.#stream.isClosed;
  }

  write(reply: Reply): Promise<void> {
    return writeHttp2(this.#stream, reply, this.#exchange, this.#date());
  }

  giveUp(): void {
    this.#stream.reset(errorCodes.internalError);
  }
}

const http1Answer = (response: Response, exchange: NodeExchange): Answer => ({
  write: (reply) => writeHttp1(response, reply, exchange),
  get isSent() {
    return response.writableFinished || response.destroyed;
  },
  giveUp: () => response.destroy(),
});

/**
 * A client that is still sending would lose its response if its connection were closed at once: it gets time to read
 * it.
 */
function hangUpGently(socket: Socket, clock: Clock): void {
  socket.destroySoon = () => {
    socket.end();
    const limit = clock.setTimer(lingerMs, () => socket.destroy());
    socket.once("close", () => limit[Symbol.dispose]());
  };
}

/**
 * Makes Node pass what it reads through the socket's stream: it stops calling the parser directly when another listener is
 * added. Directly, TLS records that have arrived are parsed even if the parser is paused, as it is while the response
 * before is being sent, and that error closes the connection: one in four requests over 64 KiB failed.
 */
function passByStream(socket: Socket): void {
  socket.on("data", ignore);
  socket.off("data", ignore);
}

const ignore = (): void => undefined;

const protocols = ({ http2 = true }: ServerOptions): string[] =>
  http2 ? ["h2", "http/1.1"] : ["http/1.1"];
