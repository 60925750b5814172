/** Upstream: opentelemetry-proto (collector/trace/v1), and the batch processor of OpenTelemetry's Go library. */
import { type Channel, openChannel } from "../grpc/grpc-channel.ts";
import { type ServiceClient, serviceClient } from "../grpc/grpc-client.ts";
import type { Clock, Timer } from "../time/clock.ts";
import { TraceService } from "./trace-service.ts";
import type { Attributes, FinishedSpan } from "./tracer.ts";

interface OtlpOptions {
  /** The collector's address, as in openChannel(). */
  readonly address: string;
  readonly clock: Clock;
  /** Attributes of all spans: service.name and the like. */
  readonly resource: Attributes;
  readonly scope: string;
  /** Called with the reason when spans were lost. */
  readonly onError: (error: unknown) => void;
}

/** OpenTelemetry's defaults: limit of the queue, size of a batch, and delay of a batch. */
const maxWaiting = 2048;

const batchSize = 512;

const batchDelayMs = 5_000;

const exportTimeoutMs = 10_000;

/** Sends spans to a collector in batches. Spans over the queue's limit are lost. */
export class OtlpExporter implements AsyncDisposable {
  readonly #options: OtlpOptions;
  readonly #channel: Channel;
  readonly #client: ServiceClient<typeof TraceService>;
  #waiting: FinishedSpan[] = [];
  #timer: Timer | undefined;
  #sending = Promise.resolve();

  constructor(options: OtlpOptions) {
    this.#options = options;
    this.#channel = openChannel({ address: options.address });
    this.#client = serviceClient(TraceService, this.#channel);
  }

  add(span: FinishedSpan): void {
    if (this.#waiting.length >= maxWaiting) return;
    this.#waiting.push(span);
    if (this.#waiting.length === batchSize) this.#flush();
    this.#timer ??= this.#options.clock.setTimer(batchDelayMs, () => this.#flush(), {
      keepAlive: false,
    });
  }

  /** Sends the queued spans, and refuses new ones. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#flush();
    await this.#sending;
    this.#channel.close();
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#sending = this.#sending.then(async () => {
      while (this.#waiting.length > 0) await this.#send(this.#waiting.splice(0, batchSize));
    });
  }

  async #send(spans: readonly FinishedSpan[]): Promise<void> {
    const { resource, scope, onError } = this.#options;
    const request = {
      resourceSpans: [
        {
          resource: { attributes: attributesOf(resource) },
          scopeSpans: [{ scope: { name: scope }, spans: spans.map(otlpSpan) }],
        },
      ],
    };
    try {
      await this.#client.Export(request, { timeoutMs: exportTimeoutMs });
    } catch (error) {
      onError(error);
    }
  }
}

function otlpSpan(span: FinishedSpan) {
  const { context, error } = span;
  return {
    traceId: Buffer.from(context.traceId, "hex"),
    spanId: Buffer.from(context.spanId, "hex"),
    parentSpanId: Buffer.from(span.parentSpanId, "hex"),
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: span.startNanos,
    endTimeUnixNano: span.endNanos,
    attributes: attributesOf(span.attributes),
    links: span.links.map(({ traceId, spanId }) => ({
      traceId: Buffer.from(traceId, "hex"),
      spanId: Buffer.from(spanId, "hex"),
    })),
    ...(error === undefined ? {} : { status: { code: "ERROR" as const, message: error } }),
  };
}

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: string | number | boolean) {
  if (typeof value === "string") return { value: { string: value } };
  if (typeof value === "boolean") return { value: { bool: value } };
  return { value: Number.isInteger(value) ? { int: value } : { double: value } };
}
