import type { Duplex } from "node:stream";
import { joinConnections } from "#/std/net/join-connections.ts";
import type { Span } from "#/std/trace/tracer.ts";
import type { Endpoint } from "../backends/resolve-backend.ts";
import type { AnswerFailure, AnswerReader, Outgoing, OutgoingRequest } from "../outgoing/answer.ts";
import { responseFields } from "../table/forwarded-fields.ts";
import { type ClientExchange, replyWith } from "./exchange.ts";
import type { Mirrors } from "./mirror.ts";

interface ForwardingOptions {
  readonly changeResponse?: ((fields: string[]) => string[]) | undefined;
  /** Copies of the request, which get its body, too. */
  readonly mirrors?: Mirrors | undefined;
  /** Of the request, if it is recorded. */
  readonly span?: Span | undefined;
}

/** What a forwarding needs of the forwarder. */
export interface ForwardingOwner {
  send(endpoint: Endpoint, request: OutgoingRequest, answer: AnswerReader): Outgoing;
  /** Called once with the status, 0 if the client went before. */
  begun(forwarding: Forwarding, status: number): void;
  /** Called once at its end. */
  ended(forwarding: Forwarding): void;
}

/** Limit of the time in which a backend sends nothing before its response begins (ms), as nginx has it. */
const silentMs = 60_000;
/** The same within a response (ms): event streams are silent for long. */
const pauseMs = 15 * 60_000;

/** A request on its way to a backend, and the response on its way back. */
export class Forwarding implements AnswerReader {
  readonly #exchange: ClientExchange;
  readonly #request: OutgoingRequest;
  readonly #endpoints: readonly Endpoint[];
  readonly #owner: ForwardingOwner;
  #attempt = 0;
  #outgoing: Outgoing | undefined;
  #hasBegun = false;
  #isEnded = false;
  /** Whether bytes have passed since the last check. */
  #isActive = true;
  #limitMs = 0;
  readonly startMs: number;
  readonly span: Span | undefined;
  readonly #options: ForwardingOptions;
  /** Called at the end. */
  onEnd: (() => void) | undefined;

  constructor(
    exchange: ClientExchange,
    request: OutgoingRequest,
    endpoints: readonly Endpoint[],
    owner: ForwardingOwner,
    startMs: number,
    options: ForwardingOptions = {},
  ) {
    this.#options = options;
    this.#exchange = exchange;
    this.#request = request;
    this.#endpoints = endpoints;
    this.#owner = owner;
    this.startMs = startMs;
    this.span = options.span;
    exchange.onGone = this.#gone;
  }

  /** Sends the request to the next endpoint. */
  send(): void {
    const endpoint = this.#endpoints[this.#attempt];
    this.#attempt++;
    if (!endpoint) {
      this.#reply(502, "the backend can't be reached\n");
      return;
    }
    this.#outgoing = this.#owner.send(endpoint, this.#request, this);
    // The body is not read before there is a connection: it could not be sent again.
    if (this.#exchange.hasBody) this.#outgoing.whenReady(this.#sendBody);
  }

  /** Gives up a backend that is silent for too long; called at intervals. */
  check(nowMs: number): void {
    if (this.#isActive) {
      this.#isActive = false;
      this.#limitMs = nowMs + (this.#hasBegun ? pauseMs : silentMs);
    } else if (nowMs >= this.#limitMs) this.timeOut();
  }

  /** The response has not come in time. */
  timeOut(): void {
    this.#outgoing?.cancel();
    this.#reply(504, "the backend did not answer in time\n");
  }

  takeHead(status: number, fields: readonly string[]): void {
    this.#isActive = true;
    this.#hasBegun = true;
    this.#owner.begun(this, status);
    const { changeResponse } = this.#options;
    const kept = responseFields(fields);
    this.#exchange.begin(status, changeResponse ? changeResponse(kept) : kept);
  }

  takeChunk(bytes: Buffer): void {
    this.#isActive = true;
    if (this.#exchange.write(bytes)) return;
    this.#outgoing?.pause();
    this.#exchange.onDrain = this.#resume;
  }

  takeEnd(trailers?: readonly string[]): void {
    this.#end();
    this.#exchange.end(trailers);
  }

  takeSwitch(fields: readonly string[], backend: Duplex): void {
    this.#owner.begun(this, 101);
    this.#end();
    const client = this.#exchange.switchProtocol(responseFields(fields));
    if (client) joinConnections(client, backend);
    else backend.destroy();
  }

  fail({ retry }: AnswerFailure): void {
    const { method, hasBody } = this.#request;
    const isSafe = !hasBody && (method === "GET" || method === "HEAD");
    if (!this.#hasBegun && (retry === "always" || (retry === "if safe" && isSafe))) this.send();
    else this.#reply(502, "the backend did not answer\n");
  }

  readonly #sendBody = (): void => {
    const exchange = this.#exchange;
    const { mirrors } = this.#options;
    exchange.receive({
      chunk: (bytes) => {
        this.#isActive = true;
        mirrors?.write(bytes);
        if (this.#outgoing?.write(bytes) !== false || this.#isEnded) return;
        exchange.pause();
        this.#outgoing.onDrain = () => exchange.resume();
      },
      end: () => {
        this.#outgoing?.end();
        mirrors?.end();
      },
      fail: () => mirrors?.cancel(),
    });
  };

  readonly #resume = (): void => {
    this.#exchange.onDrain = undefined;
    if (!this.#isEnded) this.#outgoing?.resume();
  };

  readonly #gone = (): void => {
    this.#outgoing?.cancel();
    if (!this.#hasBegun) this.#owner.begun(this, 0);
    this.#end();
  };

  /** Answers for the backend, or cuts off what it has begun. */
  #reply(status: number, text: string): void {
    if (this.#isEnded) return;
    this.#end();
    if (this.#hasBegun) {
      this.#exchange.abort();
      return;
    }
    this.#owner.begun(this, status);
    replyWith(this.#exchange, status, text);
  }

  #end(): void {
    this.#isEnded = true;
    this.#outgoing = undefined;
    this.#exchange.onGone = undefined;
    this.#owner.ended(this);
    this.onEnd?.();
  }
}
