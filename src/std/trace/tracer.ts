import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import type { Clock } from "../time/clock.ts";
import { formatTraceParent, type TraceContext } from "./trace-context.ts";

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanKind = "internal" | "server" | "client";

/** What was done, from when to when. */
export interface FinishedSpan {
  readonly context: TraceContext;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: Attributes;
  /** Of others that it belongs to without being a part of them. */
  readonly links: readonly TraceContext[];
  /** What went wrong, if anything. */
  readonly error?: string;
}

export interface TracerOptions {
  readonly clock: Clock;
  /** From 0 to 1: how many of the traces that nobody else has begun are recorded. */
  readonly ratio: number;
  /** Gets each span that is over. */
  readonly onEnd: (span: FinishedSpan) => void;
}

/** What a span is like when it begins. */
export interface SpanStart {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly links?: readonly TraceContext[];
}

/** Begins traces, and records those that are wanted. */
export class Tracer {
  readonly #options: TracerOptions;
  /** Of the last 63 bits of a trace's number: those below it are recorded, as OpenTelemetry decides. */
  readonly #bound: bigint;

  constructor(options: TracerOptions) {
    this.#options = options;
    this.#bound = BigInt(Math.floor(options.ratio * 2 ** 53)) << 10n;
    ambient ??= new AsyncLocalStorage();
  }

  /**
   * A span that is recorded, or undefined if it isn't to be, as its parent says, or, without one, the ratio. What it is like is
   * asked for only if somebody is to know.
   */
  start(parent: TraceContext | undefined, describe: () => SpanStart): Span | undefined {
    const traceId = parent ? parent.sampled && parent.traceId : this.#newTrace();
    return traceId ? new Span(this.#options, traceId, parent, describe()) : undefined;
  }

  /** The number of a trace that is to be recorded. */
  #newTrace(): string | undefined {
    if (this.#bound === 0n) return undefined;
    const id = randomBytes(16);
    return id.readBigUInt64BE(8) >> 1n < this.#bound ? id.toString("hex") : undefined;
  }
}

/** Something that is being done. */
export class Span {
  readonly context: TraceContext;
  readonly #tracer: TracerOptions;
  readonly #parent: TraceContext | undefined;
  readonly #start: SpanStart;
  readonly #startMs: number;
  readonly #beganMs: number;
  #attributes: Attributes;
  #error: string | undefined;
  #isOver = false;

  constructor(
    tracer: TracerOptions,
    traceId: string,
    parent: TraceContext | undefined,
    start: SpanStart,
  ) {
    this.#tracer = tracer;
    this.#parent = parent;
    this.#start = start;
    this.#startMs = tracer.clock.now();
    this.#beganMs = tracer.clock.monotonicMs();
    this.#attributes = start.attributes ?? {};
    this.context = { traceId, spanId: randomBytes(8).toString("hex"), sampled: true };
  }

  /** A part of it. */
  child(name: string, attributes: Attributes = {}, kind: SpanKind = "internal"): Span {
    return new Span(this.#tracer, this.context.traceId, this.context, { name, attributes, kind });
  }

  set(attributes: Attributes): void {
    this.#attributes = { ...this.#attributes, ...attributes };
  }

  fail(error: string): void {
    this.#error = error;
  }

  /** It is over; what comes later is not heard. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { clock, onEnd } = this.#tracer;
    const startNanos = BigInt(this.#startMs) * 1_000_000n;
    const tookNanos = BigInt(Math.round((clock.monotonicMs() - this.#beganMs) * 1e6));
    onEnd({
      context: this.context,
      parentSpanId: this.#parent?.spanId ?? "",
      name: this.#start.name,
      kind: this.#start.kind ?? "internal",
      startNanos,
      endNanos: startNanos + tookNanos,
      attributes: this.#attributes,
      links: this.#start.links ?? [],
      ...(this.#error === undefined ? {} : { error: this.#error }),
    });
  }

  /** Does something as this span, which ends with it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await (ambient ? ambient.run(this, work) : work());
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
      throw error;
    } finally {
      this.end();
    }
  }
}

/** There only once somebody traces: nobody else pays for it. */
let ambient: AsyncLocalStorage<Span> | undefined;

/** What the caller is a part of; undefined unless that is being recorded. */
export const activeSpan = (): Span | undefined => ambient?.getStore();

/** Does something as a part of what is being recorded, or just does it. */
export function spanned<T>(
  name: string,
  attributes: () => Attributes,
  work: () => Promise<T>,
): Promise<T> {
  const parent = activeSpan();
  return parent ? parent.child(name, attributes()).run(work) : work();
}

/** Headers that tell another service what a request to it is a part of. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const span = activeSpan();
  return span ? { traceparent: formatTraceParent(span.context) } : {};
}
