import { randomBytes } from "node:crypto";
import type { Clock } from "../time/clock.ts";
import { activeSpan, followActiveSpans, runInSpan } from "./active-span.ts";
import { formatTraceParent, type TraceContext } from "./trace-context.ts";

export type Attributes = Readonly<Record<string, string | number | boolean>>;

type SpanKind = "internal" | "server" | "client";

/** A finished span. */
export interface FinishedSpan {
  readonly context: TraceContext;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: Attributes;
  /** Related spans that are not parents. */
  readonly links: readonly TraceContext[];
  /** The error, if any. */
  readonly error?: string;
}

interface TracerOptions {
  readonly clock: Clock;
  /** From 0 to 1: the share of new traces that is recorded. */
  readonly ratio: number;
  /** Called with each finished span. */
  readonly onEnd: (span: FinishedSpan) => void;
}

/** The initial properties of a span. */
export interface SpanStart {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly links?: readonly TraceContext[];
}

/** Starts traces, and records the sampled ones. */
export class Tracer {
  readonly #options: TracerOptions;
  /**
   * Limit of the last 63 bits of a trace id: ids below it are recorded, as OpenTelemetry decides.
   */
  readonly #bound: bigint;

  constructor(options: TracerOptions) {
    this.#options = options;
    this.#bound = BigInt(Math.floor(options.ratio * 2 ** 53)) << 10n;
    followActiveSpans();
  }

  /**
   * A recorded span, or undefined if it isn't sampled: by its parent or, without one, by the ratio.
   * Its properties are computed only if it is recorded.
   */
  start(parent: TraceContext | undefined, describe: () => SpanStart): Span | undefined {
    const traceId = parent ? parent.sampled && parent.traceId : this.#newTrace();
    return traceId ? new Span(this.#options, traceId, parent, describe()) : undefined;
  }

  /** Whether the ratio takes a trace, also one that a client has begun. */
  samples(traceId: string): boolean {
    return BigInt(`0x${traceId.slice(16)}`) >> 1n < this.#bound;
  }

  /** The id of a new sampled trace; undefined if it is not sampled. */
  #newTrace(): string | undefined {
    if (this.#bound === 0n) return undefined;
    const id = randomBytes(16).toString("hex");
    return this.samples(id) ? id : undefined;
  }
}

/** A span in progress. */
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

  /** A child span. */
  child(name: string, attributes: Attributes = {}, kind: SpanKind = "internal"): Span {
    return new Span(this.#tracer, this.context.traceId, this.context, { name, attributes, kind });
  }

  set(attributes: Attributes): void {
    this.#attributes = { ...this.#attributes, ...attributes };
  }

  fail(error: string): void {
    this.#error = error;
  }

  /** Ends the span; later changes are ignored. */
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

  /** Runs work within this span, which ends with it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await runInSpan(this, work);
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
      throw error;
    } finally {
      this.end();
    }
  }
}

/** Runs work in a child of the active span, or just runs it. */
export function spanned<T>(
  name: string,
  attributes: () => Attributes,
  work: () => Promise<T>,
): Promise<T> {
  const parent = activeSpan();
  return parent ? parent.child(name, attributes()).run(work) : work();
}

/** Headers that pass the active span to another service. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const span = activeSpan();
  return span ? { traceparent: formatTraceParent(span.context) } : {};
}
