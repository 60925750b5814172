import type { Duplex } from "node:stream";
import { BodyDecoder } from "#/std/http1/body-decoder.ts";
import { BodyWriter } from "#/std/http1/body-writer.ts";
import { findField } from "#/std/http1/fields.ts";
import { formatHead } from "#/std/http1/format-head.ts";
import { HeadBuffer } from "#/std/http1/head-buffer.ts";
import { type ResponseHead, readResponseHead } from "#/std/http1/message-head.ts";
import type { BackendTls } from "../table/backend-tls.ts";
import type { AnswerReader, Outgoing, OutgoingRequest } from "./answer.ts";
import { whenReady } from "./connect-backend.ts";

/** Limit of the header fields of a response (bytes). */
const maxHeadBytes = 64 * 1024;
/** Limit of the time for a connection to an endpoint (ms); then the next one is tried. */
const connectMs = 5_000;
/** Limit of the time in which an idle connection is kept (ms). */
const idleMs = 60_000;

interface Http1BackendOptions {
  readonly tls: BackendTls | undefined;
  readonly onIdle: (connection: Http1Backend) => void;
  readonly onClosed: (connection: Http1Backend) => void;
}

/** A connection to a backend over HTTP/1.1: its requests one after the other. */
export class Http1Backend implements Outgoing {
  readonly #socket: Duplex;
  readonly #options: Http1BackendOptions;
  readonly #head = new HeadBuffer(maxHeadBytes);
  #answer: AnswerReader | undefined;
  #response: ResponseHead | undefined;
  #body: BodyDecoder | undefined;
  #writer: BodyWriter | undefined;
  #method = "";
  #hasSentAll = false;
  #isReused = false;
  #hasHeard = false;
  #isConnected = false;
  #limitMs = 0;
  #onReady: (() => void) | undefined;
  onDrain: (() => void) | undefined;

  constructor(socket: Duplex, options: Http1BackendOptions) {
    this.#socket = socket;
    this.#options = options;
    whenReady(socket, options, this.#connected);
    socket.on("data", this.#take);
    socket.on("drain", this.#drained);
    socket.on("error", this.#failed);
    socket.once("close", this.#closed);
  }

  /** Sends a request. Only on a new or an idle connection. */
  send(request: OutgoingRequest, answer: AnswerReader): void {
    const { method, path, fields, hasBody, isUpgrade } = request;
    this.#answer = answer;
    this.#method = method;
    this.#hasHeard = false;
    this.#hasSentAll = !hasBody;
    this.#limitMs = 0;
    const isDeclared = findField(fields, "content-length") !== undefined;
    let more = "";
    if (hasBody && !isDeclared) more = "transfer-encoding: chunked\r\n";
    else if (!hasBody && !isDeclared && takesBody.has(method)) more = "content-length: 0\r\n";
    if (isUpgrade) more += "connection: Upgrade\r\nupgrade: websocket\r\n";
    const text = formatHead(`${method} ${path} HTTP/1.1`, fields, more);
    if (hasBody) this.#writer = new BodyWriter(this.#socket, text, !isDeclared);
    else this.#socket.write(text, "latin1");
  }

  whenReady(run: () => void): void {
    if (this.#isConnected) run();
    else this.#onReady = run;
  }

  write(bytes: Buffer): boolean {
    return this.#writer?.write(bytes) ?? true;
  }

  end(): void {
    this.#writer?.end();
    this.#writer = undefined;
    this.#hasSentAll = true;
  }

  cancel(): void {
    this.#answer = undefined;
    this.#socket.destroy();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Ends the connection. */
  close(): void {
    this.#socket.destroy();
  }

  /** Gives up a connection that is not made in time, or idle for long; called at intervals. */
  check(nowMs: number): void {
    if (this.#isConnected && this.#answer) return;
    if (this.#limitMs === 0) this.#limitMs = nowMs + (this.#isConnected ? idleMs : connectMs);
    else if (nowMs >= this.#limitMs) this.#failed(new Error("no connection in time"));
  }

  readonly #connected = (): void => {
    this.#isConnected = true;
    this.#limitMs = 0;
    this.#onReady?.();
    this.#onReady = undefined;
  };

  readonly #drained = (): void => this.onDrain?.();

  readonly #failed = (error: Error): void => {
    this.#fail(error.message);
    this.#socket.destroy();
  };

  readonly #closed = (): void => {
    // A response may end with its connection.
    if (this.#response?.body === "until close" && this.#answer) this.#complete(undefined);
    else this.#fail("the connection has ended");
    this.#options.onClosed(this);
  };

  readonly #take = (bytes: Buffer): void => {
    this.#hasHeard = true;
    try {
      let rest: Buffer | undefined = bytes;
      while (rest && this.#answer) {
        rest = this.#body ? this.#readBody(this.#body, rest) : this.#readHead(rest);
      }
      // Bytes that belong to no response.
      if (rest) this.#socket.destroy();
    } catch (error) {
      this.#failed(error as Error);
    }
  };

  #readHead(bytes: Buffer): Buffer | undefined {
    const found = this.#head.push(bytes);
    if (!found) return undefined;
    const head = readResponseHead(found.text, this.#method);
    if (head.status === 101) {
      this.#switch(head, found.rest);
      return undefined;
    }
    // 100 Continue and the like precede the response.
    if (head.status < 200) return found.rest;
    this.#response = head;
    this.#answer?.takeHead(head.status, head.fields);
    if (head.body === 0) return this.#complete(found.rest);
    this.#body = new BodyDecoder(head.body);
    return found.rest;
  }

  #readBody(body: BodyDecoder, bytes: Buffer): Buffer | undefined {
    const rest = body.push(bytes, this.#reader);
    return body.isDone ? this.#complete(rest) : rest;
  }

  readonly #reader = {
    chunk: (bytes: Buffer): void => this.#answer?.takeChunk(bytes),
    end: (): void => undefined,
  };

  /**
   * The response is complete: the connection is idle, unless the backend ends it, has not read the request, or sends more:
   * that must not be taken for the next response.
   */
  #complete(rest: Buffer | undefined): undefined {
    const answer = this.#answer;
    const keeps = this.#hasSentAll && !rest && this.#response?.keepsConnection === true;
    this.#answer = undefined;
    this.#response = undefined;
    this.#body = undefined;
    this.#writer = undefined;
    this.onDrain = undefined;
    this.#limitMs = 0;
    if (keeps && !this.#socket.destroyed) {
      this.#isReused = true;
      if (this.#socket.isPaused()) this.#socket.resume();
      this.#options.onIdle(this);
    } else this.#socket.destroy();
    answer?.takeEnd();
  }

  #switch(head: ResponseHead, rest: Buffer | undefined): void {
    const answer = this.#answer;
    this.#answer = undefined;
    this.#socket.off("data", this.#take).off("drain", this.#drained);
    this.#socket.pause();
    if (rest) this.#socket.unshift(rest);
    if (head.upgrade === "websocket") answer?.takeSwitch(head.fields, this.#socket);
    else {
      this.#socket.destroy();
      answer?.fail({ reason: "the backend speaks another protocol", retry: "never" });
    }
  }

  #fail(reason: string): void {
    const answer = this.#answer;
    this.#answer = undefined;
    // An idle connection may have been closed while the request was on its way.
    const isStale = this.#isReused && !this.#hasHeard;
    const retry = this.#isConnected ? (isStale ? "if safe" : "never") : "always";
    answer?.fail({ reason, retry });
  }
}

/** Methods whose requests declare a length even if it is 0. */
const takesBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
