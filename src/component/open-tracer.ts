import { hostname } from "node:os";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { OtlpExporter } from "#/std/trace/otlp-exporter.ts";
import { Tracer } from "#/std/trace/tracer.ts";
import type { TracingConfiguration } from "./parse-tracing-configuration.ts";

interface OpenTracerOptions {
  /** The name that the component has in traces. */
  readonly service: string;
  /** The name of the part that makes the spans. */
  readonly scope: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A tracer whose spans go to a collector, until it is disposed. */
export interface OpenTracer extends AsyncDisposable {
  readonly tracer: Tracer;
}

export function openTracer(
  { address, ratio }: TracingConfiguration,
  { service, scope, clock, log }: OpenTracerOptions,
): OpenTracer {
  const exporter = new OtlpExporter({
    ...{ address, clock, scope },
    resource: { "service.name": service, "host.name": hostname() },
    onError: (error) => log.error(error, "failed to export spans"),
  });
  return {
    tracer: new Tracer({ clock, ratio, onEnd: (span) => exporter.add(span) }),
    [Symbol.asyncDispose]: () => exporter[Symbol.asyncDispose](),
  };
}
