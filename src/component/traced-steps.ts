import { hostname } from "node:os";
import type { StepRecorder, StepReport, StepSink } from "#/client/journey/recorder.ts";
import { stepSpanIdOf, traceIdOf } from "#/machinery/journey/trace-ids.ts";
import type { Logger } from "#/std/log/log.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { OtlpExporter } from "#/std/trace/otlp-exporter.ts";
import type { Attributes, FinishedSpan } from "#/std/trace/tracer.ts";
import type { TracingConfiguration } from "./parse-tracing-configuration.ts";

/** Steps of a component, until it ends. */
export interface OpenSteps extends StepSink, AsyncDisposable {}

interface TracingOptions {
  /** The name that the component has in traces. */
  readonly service: string;
  readonly log: Logger;
  readonly clock?: Clock;
}

/** Where a component reports its steps: to the API server, and as spans to a collector if one is configured. */
export function openSteps(
  recorder: StepRecorder,
  tracing: TracingConfiguration | undefined,
  options: TracingOptions,
): OpenSteps {
  return tracing ? new TracedSteps(recorder, tracing, options) : recorder;
}

/**
 * Sends each step as a span as well. All steps of an object are one trace, whichever components they are from, and a
 * trace is sampled by its id: by all of them or by none.
 */
class TracedSteps implements OpenSteps {
  readonly isOn = true;
  readonly #recorder: StepRecorder;
  readonly #exporter: OtlpExporter;
  /** Limit of the last 63 bits of a trace id, as OpenTelemetry decides. */
  readonly #bound: bigint;

  constructor(
    recorder: StepRecorder,
    { address, ratio }: TracingConfiguration,
    { service, log, clock = systemClock }: TracingOptions,
  ) {
    this.#recorder = recorder;
    this.#bound = BigInt(Math.floor(ratio * 2 ** 53)) << 10n;
    this.#exporter = new OtlpExporter({
      address,
      clock,
      resource: { "service.name": service, "host.name": hostname() },
      scope: "k8ts.journey",
      onError: (error) => log.error(error, "failed to export spans"),
    });
  }

  now(): number {
    return this.#recorder.now();
  }

  add(step: StepReport): void {
    this.#recorder.add(step);
    // A step that lasts is reported again when it has ended.
    if (step.toMs === undefined || this.#bound === 0n) return;
    const traceId = traceIdOf(step.of);
    if (BigInt(`0x${traceId.slice(16)}`) >> 1n < this.#bound) {
      this.#exporter.add(spanOf(step, step.toMs, traceId));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#recorder[Symbol.asyncDispose]();
    await this.#exporter[Symbol.asyncDispose]();
  }
}

function spanOf(step: StepReport, toMs: number, traceId: string): FinishedSpan {
  const { of, layer, name, fromMs, outcome = "ok", reason = "", message = "" } = step;
  const spanId = stepSpanIdOf(of, `${layer} ${name} ${fromMs} ${toMs}`);
  return {
    context: { traceId, spanId, sampled: true },
    parentSpanId: "",
    name: `${layer}: ${name}`,
    kind: "internal",
    startNanos: nanosOf(fromMs),
    endNanos: nanosOf(toMs),
    attributes: attributesOf(step),
    links: [],
    ...(outcome === "failed" ? { error: [reason, message].filter(Boolean).join(": ") } : {}),
  };
}

function attributesOf({ of, layer, outcome = "ok", attempt, facts = {} }: StepReport): Attributes {
  const kind = of.resource.replace(/s(\..*)?$/, "");
  return {
    [`k8s.${kind}.name`]: of.name,
    ...(of.uid === undefined ? {} : { [`k8s.${kind}.uid`]: of.uid }),
    ...(of.namespace === undefined ? {} : { "k8s.namespace.name": of.namespace }),
    "k8ts.layer": layer,
    "k8ts.outcome": outcome,
    ...(attempt === undefined ? {} : { "k8ts.attempt": attempt }),
    ...Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, scalar(value)])),
  };
}

/** Limit of the text of a fact that is no scalar (characters). */
const maxText = 512;

function scalar(value: unknown): string | number | boolean {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return value;
  }
  return (JSON.stringify(value) ?? "").slice(0, maxText);
}

const nanosOf = (ms: number): bigint => BigInt(Math.round(ms * 1000)) * 1000n;
