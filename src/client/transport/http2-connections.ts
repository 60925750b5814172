import type { TLSSocket } from "node:tls";
import { orAborted } from "#/std/async/aborted.ts";
import { Http2Client } from "#/std/http2/http2-client.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import { connectTimeoutMs, dialTimeout } from "./connection-error.ts";
import { type Http2Exchange, Http2Failure } from "./http2-exchange.ts";

/** A server that doesn't speak HTTP/2. */
export class NotHttp2Error extends Error {
  override readonly name = "NotHttp2Error";
}

interface ConnectionsOptions {
  readonly clock: Clock;
  /** Begins a TLS connection that offers HTTP/2. */
  connect(): TLSSocket;
}

/** Receive window of one response (bytes): a slow reader buffers no more. */
const windowBytes = 1 << 20;
/** Limit of the headers of a response (bytes), as in Go's client. */
const maxHeaderBytes = 10 << 20;
/** Silence during requests before a ping, and limit of its response (ms), as in upstream's client. */
const keepalive = { afterMs: 30_000, timeoutMs: 15_000 };

/** Time (ms) after which an idle connection is closed unless it is the last, as in upstream's client (idleConnTimeout). */
const idleMs = 90_000;

/** The connections to one server, as one identity: a second one only if the first has no room for more requests. */
export class Http2Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<Http2Client, TLSSocket>();
  /** When idle connections are closed. */
  readonly #idle = new Map<Http2Client, Timer>();
  #opening: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Sends a request; resolves to whether the connection was open before. */
  async send(
    fields: readonly string[],
    body: Uint8Array,
    exchange: Http2Exchange,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    for (let isKept = true; ; isKept = false) {
      for (const [connection, socket] of this.#open) {
        if (!connection.hasRoom) continue;
        if (connection.size === 0) this.#wake(connection, socket);
        exchange.begin(connection.request(fields, body, exchange));
        return isKept;
      }
      if (this.#isClosed) {
        throw new Http2Failure({ reason: "the connection was closed", seen: false });
      }
      this.#opening ??= this.#connect().finally(() => {
        this.#opening = undefined;
      });
      await (signal ? orAborted(this.#opening, signal) : this.#opening);
    }
  }

  /** Sends no more requests; active ones continue. */
  retire(): void {
    this.#isClosed = true;
    for (const connection of this.#open.keys()) connection.close();
  }

  /** Ends all requests. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#open.values()) socket.destroy();
  }

  /** Resolves when the server has sent its settings. */
  async #connect(): Promise<void> {
    const { clock, connect } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const socket = connect();
    socket.setNoDelay();
    const late = () => socket.destroy(dialTimeout());
    using _timer = clock.setTimer(connectTimeoutMs, late, { keepAlive: false });
    socket.on("error", reject);
    socket.once("close", () => reject(new Error("EOF")));
    socket.once("secureConnect", () => {
      if (socket.destroyed) return;
      if (socket.alpnProtocol !== "h2") {
        socket.destroy(new NotHttp2Error("the server does not offer HTTP/2"));
        return;
      }
      const connection: Http2Client = new Http2Client(socket, {
        ...{ clock, windowBytes, maxHeaderBytes, keepalive },
        onReady: () => {
          this.#add(connection, socket);
          resolve();
        },
        onClosing: () => this.#remove(connection),
      });
    });
    await promise;
  }

  #remove(connection: Http2Client): void {
    this.#open.delete(connection);
    this.#idle.get(connection)?.cancel();
    this.#idle.delete(connection);
  }

  #add(connection: Http2Client, socket: TLSSocket): void {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    this.#open.set(connection, socket);
    const rest = () => this.#rest(connection, socket);
    connection.onFreed = () => {
      if (connection.size === 0) rest();
    };
    rest();
  }

  /** An idle connection must not keep the process alive, and none stays for long beside another. */
  #rest(connection: Http2Client, socket: TLSSocket): void {
    socket.unref();
    const end = () => {
      if (connection.size === 0 && this.#open.size > 1) connection.close();
    };
    this.#idle.get(connection)?.cancel();
    this.#idle.set(connection, this.#options.clock.setTimer(idleMs, end, { keepAlive: false }));
  }

  /** The connection is in use. */
  #wake(connection: Http2Client, socket: TLSSocket): void {
    socket.ref();
    this.#idle.get(connection)?.cancel();
  }
}
