import type { Random } from "#/std/base/random.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import type { Span, Tracer } from "#/std/trace/tracer.ts";
import type { Backends } from "../backends/backends.ts";
import type { Endpoint } from "../backends/resolve-backend.ts";
import type { AnswerReader, Outgoing, OutgoingRequest } from "../outgoing/answer.ts";
import { EndpointClients } from "../outgoing/endpoint-clients.ts";
import { findTarget } from "../table/find-target.ts";
import { readTarget } from "../table/request-target.ts";
import type { RouteTable } from "../table/route-table.ts";
import type { BackendRef } from "../table/route-target.ts";
import { type ClientConnection, type ClientExchange, replyWith } from "./exchange.ts";
import { Forwarding, type ForwardingOwner } from "./forwarding.ts";
import { Mirrors } from "./mirror.ts";
import { type PlannedForward, type PlannedReply, planForward } from "./plan-forward.ts";
import { beginSpan, noteStatus, withSpan } from "./request-span.ts";

interface ForwarderOptions {
  readonly backends: Backends;
  readonly clock: Clock;
  readonly random: Random;
  /** Called with the status of each response, 0 if the client went before. */
  readonly onReply: (status: number, durationMs: number) => void;
  /** Records a span for each request; default none. */
  readonly tracer?: Tracer | undefined;
}

/** A request since it came in. */
interface Begun {
  readonly startMs: number;
  readonly span: Span | undefined;
}

/** The routes of a host on a connection; undefined if the connection is for other hosts. */
export type FindTable = (host: string, connection: ClientConnection) => RouteTable | undefined;

/** Limit of endpoints that are tried for a request (count). */
const maxAttempts = 3;
/** Interval of checks (ms): limits are of seconds and minutes. */
const checkMs = 1_000;

/** Passes requests on to backends, and their responses back. */
export class Forwarder implements Disposable, ForwardingOwner {
  readonly #options: ForwarderOptions;
  readonly #clients: EndpointClients;
  readonly #active = new Set<Forwarding>();
  readonly #timer: Timer;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#clients = new EndpointClients(options.clock);
    this.#timer = options.clock.every(checkMs, () => this.#check(), { keepAlive: false });
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
    this.#clients[Symbol.dispose]();
  }

  /** Serves a request by the routes of its host; never throws. */
  serve(exchange: ClientExchange, findTable: FindTable): void {
    const startMs = this.#options.clock.monotonicMs();
    const begun = { startMs, span: beginSpan(this.#options.tracer, exchange) };
    const planned = this.#plan(exchange, findTable);
    if (planned.kind === "reply") {
      this.#reply(exchange, planned, begun);
      return;
    }
    const endpoints = this.#endpoints(planned.ref, planned.isHttp2);
    if (endpoints.length > 0) this.#forward(exchange, planned, endpoints, begun);
    else this.#reply(exchange, noEndpoints, begun);
  }

  send(endpoint: Endpoint, request: OutgoingRequest, answer: AnswerReader): Outgoing {
    return this.#clients.of(endpoint).send(request, answer);
  }

  begun({ startMs, span }: Forwarding, status: number): void {
    noteStatus(span, status);
    this.#options.onReply(status, this.#options.clock.monotonicMs() - startMs);
  }

  ended(forwarding: Forwarding): void {
    this.#active.delete(forwarding);
    forwarding.span?.end();
  }

  #plan(exchange: ClientExchange, findTable: FindTable): PlannedForward | PlannedReply {
    const target = readTarget(exchange.target, exchange.host);
    if (!target || exchange.method === "CONNECT") return badRequest;
    const table = findTable(target.host, exchange.connection);
    if (!table) return misdirected;
    const { host, path, query } = target;
    const { method, fields } = exchange;
    const found = findTarget(table, { method, host, path, query, fields });
    return planForward(exchange, target, found, this.#options.random);
  }

  #endpoints(ref: BackendRef, isHttp2: boolean): readonly Endpoint[] {
    const endpoints = this.#options.backends.choose(ref);
    const chosen = endpoints.length > maxAttempts ? endpoints.slice(0, maxAttempts) : endpoints;
    return isHttp2 ? chosen.map((one) => ({ ...one, isHttp2 })) : chosen;
  }

  #forward(
    exchange: ClientExchange,
    { ref, request: planned, changeResponse, mirrors, limitMs }: PlannedForward,
    endpoints: readonly Endpoint[],
    { startMs, span }: Begun,
  ): void {
    const request = withSpan(span, ref, planned);
    const copies = mirrors && this.#mirror(request, mirrors);
    const options = { changeResponse, mirrors: copies, span };
    const forwarding = new Forwarding(exchange, request, endpoints, this, startMs, options);
    this.#active.add(forwarding);
    if (limitMs !== undefined) {
      const timer = this.#options.clock.setTimer(limitMs, () => forwarding.timeOut());
      forwarding.onEnd = () => timer.cancel();
    }
    forwarding.send();
  }

  #mirror(request: OutgoingRequest, mirrors: NonNullable<PlannedForward["mirrors"]>): Mirrors {
    const copies = new Mirrors();
    for (const { ref } of mirrors) {
      const [endpoint] = this.#options.backends.choose(ref);
      if (endpoint) copies.add((answer) => this.send(endpoint, request, answer));
    }
    return copies;
  }

  #reply(
    exchange: ClientExchange,
    { status, text, fields }: PlannedReply,
    { startMs, span }: Begun,
  ): void {
    noteStatus(span, status);
    span?.end();
    this.#options.onReply(status, this.#options.clock.monotonicMs() - startMs);
    replyWith(exchange, status, text, fields);
  }

  #check(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const forwarding of this.#active) forwarding.check(nowMs);
    this.#clients.check(nowMs);
  }
}

const badRequest = { kind: "reply", status: 400, text: "bad request\n" } as const;
/** The client has asked this connection for another host, whose certificate may differ. */
const misdirected = { kind: "reply", status: 421, text: "another connection is needed\n" } as const;
const noEndpoints = {
  kind: "reply",
  status: 503,
  text: "the backend has no ready endpoints\n",
} as const;
