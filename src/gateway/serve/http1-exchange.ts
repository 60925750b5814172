import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { BodyWriter } from "#/std/http1/body-writer.ts";
import { findField } from "#/std/http1/fields.ts";
import { formatHead } from "#/std/http1/format-head.ts";
import type { RequestHead } from "#/std/http1/message-head.ts";
import type { ClientConnection, ClientExchange, RequestReader } from "./exchange.ts";

/** The connection of an exchange. */
export interface ExchangeOwner {
  readonly socket: Duplex;
  readonly facts: ClientConnection;
  /** Whether the connection may serve another request after this one. */
  readonly isOpen: boolean;
  /** The exchange wants the body; it is read from here. */
  receiveBody(): void;
  /** Stops or continues to read. */
  holdBody(isHeld: boolean): void;
  /** The response is complete. */
  finished(keepsConnection: boolean): void;
  /** Gives the connection up to another protocol, with what has been read already. */
  release(): Duplex;
  now(): number;
}

/** Limit of kept dates: one, for the second that it names. */
let dated = { second: 0, text: "" };

/** The Date of a response. Kept for a second: it costs more than all other fields. */
function dateAt(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (dated.second !== second) dated = { second, text: new Date(nowMs).toUTCString() };
  return dated.text;
}

/** A request over HTTP/1.1, and its response. */
export class Http1Exchange implements ClientExchange {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly fields: readonly string[];
  readonly hasBody: boolean;
  readonly isUpgrade: boolean;
  onDrain: (() => void) | undefined;
  onGone: (() => void) | undefined;
  /** For the connection: the reader of the body. */
  reader: RequestReader | undefined;
  readonly #owner: ExchangeOwner;
  readonly #head: RequestHead;
  #writer: BodyWriter | undefined;
  #hasContent = true;
  /** Bytes that are missing of a response whose length is declared: another message would begin where they end. */
  #missing = Number.POSITIVE_INFINITY;
  #keepsConnection: boolean;
  #isEnded = false;

  constructor(owner: ExchangeOwner, head: RequestHead) {
    this.#owner = owner;
    this.#head = head;
    this.method = head.method;
    this.target = head.target;
    this.host = head.host;
    this.fields = head.fields;
    this.hasBody = head.body !== 0;
    this.isUpgrade = head.upgrade === "websocket" && head.method === "GET" && !this.hasBody;
    this.#keepsConnection = head.keepsConnection;
  }

  get connection(): ClientConnection {
    return this.#owner.facts;
  }

  get hasBegun(): boolean {
    return this.#writer !== undefined;
  }

  receive(reader: RequestReader): void {
    this.reader = reader;
    if (this.#head.expectsContinue) this.#owner.socket.write("HTTP/1.1 100 Continue\r\n\r\n");
    this.#owner.receiveBody();
  }

  pause(): void {
    this.#owner.holdBody(true);
  }

  resume(): void {
    this.#owner.holdBody(false);
  }

  begin(status: number, fields: readonly string[]): void {
    const { isOld, method } = this.#head;
    this.#hasContent = method !== "HEAD" && status !== 204 && status !== 304;
    const length = findField(fields, "content-length");
    const isChunked = this.#hasContent && length === undefined && !isOld;
    if (length !== undefined) this.#missing = Number(length);
    if ((this.#hasContent && isOld && length === undefined) || !this.#owner.isOpen) {
      this.#keepsConnection = false;
    }
    const hasDate = findField(fields, "date") !== undefined;
    let more = hasDate ? "" : `date: ${dateAt(this.#owner.now())}\r\n`;
    if (isChunked) more += "transfer-encoding: chunked\r\n";
    if (!this.#keepsConnection) more += "connection: close\r\n";
    else if (isOld) more += "connection: keep-alive\r\n";
    const head = formatHead(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, fields, more);
    this.#writer = new BodyWriter(this.#owner.socket, head, isChunked);
  }

  write(bytes: Buffer): boolean {
    if (this.#isEnded || !this.#hasContent) return true;
    this.#missing -= bytes.length;
    if (this.#missing >= 0) return this.#writer?.write(bytes) ?? true;
    this.abort();
    return true;
  }

  end(): void {
    if (this.#isEnded) return;
    if (this.#hasContent && this.#missing > 0 && this.#missing < Number.POSITIVE_INFINITY) {
      this.abort();
      return;
    }
    this.#isEnded = true;
    this.#writer?.end();
    this.#owner.finished(this.#keepsConnection);
  }

  abort(): void {
    this.#isEnded = true;
    this.#owner.socket.destroy();
  }

  /** For the connection: it has ended. */
  gone(): void {
    this.reader?.fail();
    if (!this.#isEnded) this.onGone?.();
    this.onDrain?.();
  }

  switchProtocol(fields: readonly string[]): Duplex {
    this.#isEnded = true;
    const socket = this.#owner.release();
    const words = "connection: Upgrade\r\nupgrade: websocket\r\n";
    socket.write(formatHead("HTTP/1.1 101 Switching Protocols", fields, words), "latin1");
    return socket;
  }
}
