/** Upstream: opentelemetry-proto (collector/trace/v1), and the batch processor of OpenTelemetry's Go library. */

import { service, unary } from "../grpc/grpc.ts";
import { type Channel, openChannel } from "../grpc/grpc-channel.ts";
import { type ServiceClient, serviceClient } from "../grpc/grpc-client.ts";
import { message, nested, oneof, repeated } from "../protobuf/protobuf.ts";
import {
  bool,
  bytes,
  double,
  enumeration,
  fixed64,
  int64,
  string,
} from "../protobuf/protobuf-field.ts";
import type { Clock, Timer } from "../time/clock.ts";
import type { Attributes, FinishedSpan } from "./tracer.ts";

const AnyValue = message({
  value: oneof({ string: string(1), bool: bool(2), int: int64(3), double: double(4) }),
});
const KeyValue = message({ key: string(1), value: nested(2, AnyValue) });
const Link = message({ traceId: bytes(1), spanId: bytes(2) });
const Status = message({ message: string(2), code: enumeration(3, { UNSET: 0, OK: 1, ERROR: 2 }) });
const OtlpSpan = message({
  traceId: bytes(1),
  spanId: bytes(2),
  parentSpanId: bytes(4),
  name: string(5),
  kind: enumeration(6, { unspecified: 0, internal: 1, server: 2, client: 3 }),
  startTimeUnixNano: fixed64(7),
  endTimeUnixNano: fixed64(8),
  attributes: repeated(nested(9, KeyValue)),
  links: repeated(nested(13, Link)),
  status: nested(15, Status),
});
const ScopeSpans = message({
  scope: nested(1, message({ name: string(1), version: string(2) })),
  spans: repeated(nested(2, OtlpSpan)),
});
const ResourceSpans = message({
  resource: nested(1, message({ attributes: repeated(nested(1, KeyValue)) })),
  scopeSpans: repeated(nested(2, ScopeSpans)),
});
const ExportRequest = message({ resourceSpans: repeated(nested(1, ResourceSpans)) });

/** The gRPC service of trace collectors. */
export const TraceService = service("opentelemetry.proto.collector.trace.v1.TraceService", {
  Export: unary(ExportRequest, message({})),
});

export interface OtlpOptions {
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
const MAX_WAITING = 2048;
const BATCH_SIZE = 512;
const BATCH_DELAY_MS = 5_000;
const EXPORT_TIMEOUT_MS = 10_000;

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
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(span);
    if (this.#waiting.length === BATCH_SIZE) this.#flush();
    this.#timer ??= this.#options.clock.setTimer(BATCH_DELAY_MS, () => this.#flush(), {
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
      while (this.#waiting.length > 0) await this.#send(this.#waiting.splice(0, BATCH_SIZE));
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
      await this.#client.Export(request, { timeoutMs: EXPORT_TIMEOUT_MS });
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
