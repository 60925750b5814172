import type { Socket } from "node:net";
import { Http2Client } from "#/std/http2/http2-client.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { AnswerReader, EndpointClient, Outgoing, OutgoingRequest } from "./answer.ts";
import { type BackendAddress, connectBackend } from "./connect-backend.ts";
import { Http2Request } from "./http2-request.ts";

/** Receive window of one response (bytes). */
const windowBytes = 256 * 1024;
/** Limit of the header fields of a response (bytes). */
const maxHeaderBytes = 64 * 1024;
/** Limit of the time for a connection to an endpoint (ms); then the next one is tried. */
const connectMs = 5_000;
/** Limit of the time in which an idle connection is kept (ms). */
const idleMs = 60_000;
/** Limit of requests that wait for a connection with room (count): as many as clients may send at once. */
const maxWaiting = 10_000;

/** A connection to an endpoint over HTTP/2, made when it is needed. */
export class Http2Pool implements EndpointClient {
  readonly #target: BackendAddress;
  readonly #clock: Clock;
  readonly #waiting: Http2Request[] = [];
  #client: Http2Client | undefined;
  #socket: Socket | undefined;
  #isReady = false;
  #limitMs = 0;

  constructor(target: BackendAddress, clock: Clock) {
    this.#target = target;
    this.#clock = clock;
  }

  [Symbol.dispose](): void {
    this.#socket?.destroy();
  }

  get isUnused(): boolean {
    return this.#client === undefined;
  }

  send(request: OutgoingRequest, answer: AnswerReader): Outgoing {
    const outgoing = new Http2Request(request, answer, this.#target.tls ? "https" : "http");
    this.#limitMs = 0;
    if (this.#client?.hasRoom) outgoing.start(this.#client);
    else if (this.#waiting.length < maxWaiting) {
      this.#waiting.push(outgoing);
      if (!this.#client) this.#connect();
    } else queueMicrotask(() => outgoing.unreachable("too many requests wait"));
    return outgoing;
  }

  check(nowMs: number): void {
    const isBusy = this.#isReady && (this.#client?.size ?? 0) > 0;
    if (isBusy || !this.#socket) return;
    if (this.#limitMs === 0) this.#limitMs = nowMs + (this.#isReady ? idleMs : connectMs);
    else if (nowMs >= this.#limitMs) this.#socket.destroy();
  }

  #connect(): void {
    const socket = connectBackend(this.#target, "h2");
    const client: Http2Client = new Http2Client(socket, {
      clock: this.#clock,
      windowBytes,
      maxHeaderBytes,
      onReady: () => {
        this.#isReady = true;
        this.#limitMs = 0;
        this.#startWaiting();
      },
      onClosing: (reason) => {
        if (this.#client === client) this.#lost(reason);
      },
    });
    client.onFreed = () => this.#startWaiting();
    this.#client = client;
    this.#socket = socket;
    this.#isReady = false;
    this.#limitMs = 0;
  }

  #startWaiting(): void {
    while (this.#client?.hasRoom) {
      const next = this.#waiting.shift();
      if (!next) return;
      if (!next.isCancelled) next.start(this.#client);
    }
  }

  /** No more requests can be sent; those that wait get another connection, unless there was none. */
  #lost(reason: string): void {
    const wasReady = this.#isReady;
    this.#client = undefined;
    this.#isReady = false;
    if (wasReady && this.#waiting.length > 0) this.#connect();
    if (!wasReady) for (const one of this.#waiting.splice(0)) one.unreachable(reason);
  }
}
