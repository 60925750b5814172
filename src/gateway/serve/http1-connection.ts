import type { Duplex } from "node:stream";
import { BodyDecoder } from "#/std/http1/body-decoder.ts";
import { formatHead } from "#/std/http1/format-head.ts";
import { HeadBuffer } from "#/std/http1/head-buffer.ts";
import { MessageError, readRequestHead } from "#/std/http1/message-head.ts";
import type { ClientConnection } from "./exchange.ts";
import { type ExchangeOwner, Http1Exchange } from "./http1-exchange.ts";

interface ConnectionOptions {
  readonly facts: ClientConnection;
  /** Limit of the fields of a request (bytes). */
  readonly maxHeadBytes: number;
  readonly serve: (exchange: Http1Exchange) => void;
  /** Called if the client begins with HTTP/2 instead; the connection is no longer used then. */
  readonly onHttp2: () => void;
  /** The wall clock (ms). */
  readonly now: () => number;
}

/** Limit of the time between requests of a connection (ms), as nginx has it. */
const keepAliveMs = 75_000;
/** Limit of the time for the fields of a request (ms): slow ones keep a connection busy. */
const fieldsMs = 15_000;
/** Limit of the time in which a client sends nothing of a body that is awaited (ms), as nginx has it. */
const bodyMs = 60_000;
/** Limit of a body that is read after the response to it, so that the connection can be kept (bytes). */
const maxUnreadBytes = 256 * 1024;

/** A client's connection over HTTP/1.1: its requests one after the other. */
export class Http1Connection implements ExchangeOwner {
  readonly socket: Duplex;
  readonly #options: ConnectionOptions;
  readonly #head: HeadBuffer;
  #active: Http1Exchange | undefined;
  #body: BodyDecoder | undefined;
  /** Bytes that can't be read yet, as the exchange before them is active. */
  #queued: Buffer | undefined;
  #isNew = true;
  #isHeld = false;
  #isLast = false;
  #isReading = false;
  #unreadBytes = 0;
  /** When the awaited bytes must have come; Infinity while none are awaited. Set by the next check after a change. */
  #limitMs = 0;
  #awaited: "request" | "fields" | "body" | "nothing" = "request";

  constructor(socket: Duplex, options: ConnectionOptions) {
    this.socket = socket;
    this.#options = options;
    this.#head = new HeadBuffer(options.maxHeadBytes);
    socket.on("data", this.#take);
    socket.on("drain", this.#drained);
    socket.once("close", this.#closed);
  }

  get facts(): ClientConnection {
    return this.#options.facts;
  }

  get isOpen(): boolean {
    return !this.#isLast;
  }

  now(): number {
    return this.#options.now();
  }

  /** Ends the connection after the active request. */
  close(): void {
    this.#isLast = true;
    if (!this.#active) this.socket.end();
  }

  /** Ends the connection if the client lets it wait; called at intervals. */
  check(nowMs: number): void {
    const awaited = this.#awaits();
    if (awaited !== this.#awaited || this.#limitMs === 0) {
      this.#awaited = awaited;
      const limits = { request: keepAliveMs, fields: fieldsMs, body: bodyMs, nothing: Infinity };
      this.#limitMs = nowMs + limits[awaited];
    } else if (nowMs >= this.#limitMs) {
      if (awaited === "request") this.socket.end();
      else this.#refuse(new MessageError(408, "too slow"));
    }
  }

  #awaits(): "request" | "fields" | "body" | "nothing" {
    if (!this.#active) return this.#head.hasBegun ? "fields" : "request";
    return this.#body && !this.#isHeld && this.#active.reader ? "body" : "nothing";
  }

  receiveBody(): void {
    this.#readQueued();
  }

  holdBody(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#flow();
    if (!isHeld) this.#readQueued();
  }

  finished(keepsConnection: boolean): void {
    this.#active = undefined;
    this.#limitMs = 0;
    this.#isHeld = false;
    if (!keepsConnection || this.#isLast) {
      this.#isLast = true;
      this.socket.end();
      return;
    }
    this.#unreadBytes = 0;
    this.#readQueued();
    this.#flow();
  }

  release(): Duplex {
    this.socket.off("data", this.#take).off("drain", this.#drained).off("close", this.#closed);
    this.#active = undefined;
    this.socket.pause();
    if (this.#queued) this.socket.unshift(this.#queued);
    this.#queued = undefined;
    return this.socket;
  }

  readonly #take = (chunk: Buffer): void => {
    if (this.#isNew && chunk.length >= 4 && chunk.readUInt32BE(0) === http2Preface) {
      this.#queued = chunk;
      this.release();
      this.#options.onHttp2();
      return;
    }
    this.#isNew = false;
    this.#queued = this.#queued ? Buffer.concat([this.#queued, chunk]) : chunk;
    this.#readQueued();
    if (this.#queued) this.#flow();
  };

  readonly #drained = (): void => this.#active?.onDrain?.();

  readonly #closed = (): void => {
    const active = this.#active;
    this.#active = undefined;
    this.#isLast = true;
    active?.gone();
  };

  /** Reads what can be read now. A loop: the response to a request may come at once, and make the next one readable. */
  #readQueued(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#queued && !this.#isLast && this.#canRead()) {
        const bytes = this.#queued;
        this.#queued = undefined;
        this.#queued = this.#body ? this.#readBody(this.#body, bytes) : this.#readHead(bytes);
      }
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      this.#refuse(error);
    } finally {
      this.#isReading = false;
    }
  }

  /** Whether the next bytes have a reader: the head of a request has one if no other is active. */
  #canRead(): boolean {
    if (this.#body) return !this.#isHeld && (!this.#active || this.#active.reader !== undefined);
    return !this.#active;
  }

  #readHead(bytes: Buffer): Buffer | undefined {
    const found = this.#head.push(bytes);
    if (!found) return undefined;
    const head = readRequestHead(found.text);
    if (head.body !== 0) this.#body = new BodyDecoder(head.body);
    // What follows is seen by a client that is served at once.
    this.#queued = found.rest;
    const exchange = new Http1Exchange(this, head);
    this.#active = exchange;
    this.#limitMs = 0;
    this.#options.serve(exchange);
    return this.#queued;
  }

  #readBody(body: BodyDecoder, bytes: Buffer): Buffer | undefined {
    const reader = this.#active?.reader;
    this.#limitMs = 0;
    if (!reader) {
      this.#unreadBytes += bytes.length;
      if (this.#unreadBytes > maxUnreadBytes) this.socket.destroy();
    }
    const rest = body.push(bytes, reader ?? nobody);
    if (body.isDone) this.#body = undefined;
    return rest;
  }

  #flow(): void {
    const isFull = this.#queued !== undefined || this.#isHeld;
    if (isFull !== this.socket.isPaused()) {
      if (isFull) this.socket.pause();
      else this.socket.resume();
    }
  }

  /** Answers what is no request, or too slow, and ends the connection. */
  #refuse({ status, message }: MessageError): void {
    const active = this.#active;
    this.#active = undefined;
    this.#isLast = true;
    this.#queued = undefined;
    if (active) {
      // Its response may have begun.
      this.socket.destroy();
      active.gone();
      return;
    }
    const text = `${message}\n`;
    const fields = ["content-type", "text/plain", "content-length", String(text.length)];
    const line = `HTTP/1.1 ${status} ${status === 408 ? "Request Timeout" : "Bad Request"}`;
    this.socket.end(formatHead(line, fields, "connection: close\r\n") + text, "latin1");
  }
}

/** The first bytes of HTTP/2, "PRI ". */
const http2Preface = 0x50524920;
const nobody = { chunk: () => undefined, end: () => undefined };
