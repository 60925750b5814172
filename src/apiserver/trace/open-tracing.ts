import { hostname } from "node:os";
import { readTracingConfiguration } from "#/component/tracing-configuration.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { OtlpExporter } from "#/std/trace/otlp-exporter.ts";
import { Tracer } from "#/std/trace/tracer.ts";
import type { Storage } from "#/storage/base/storage.ts";
import type { TraceFilters } from "../http/trace-filters.ts";
import { leaseName } from "../model/lease-name.ts";
import { traceRequests, traceStep, traceVerbs } from "./trace-requests.ts";
import { tracedStorage } from "./traced-storage.ts";

/** The recorders of spans, by place. */
export interface Tracing extends AsyncDisposable {
  readonly filters: TraceFilters;
  storage(inner: Storage): Storage;
}

/** Records spans of requests and sends them to the collector of a file (--tracing-config-file). */
export function openTracing(file: string, clock: Clock, log: Logger): Tracing {
  const { address, ratio } = readTracingConfiguration(file);
  const exporter = new OtlpExporter({
    address,
    clock,
    resource: { "service.name": "apiserver", "service.instance.id": leaseName(hostname()) },
    scope: "k8s.io/component-base/tracing",
    onError: (error) => log.error(error, "failed to export spans"),
  });
  const tracer = new Tracer({ clock, ratio, onEnd: (span) => exporter.add(span) });
  return {
    filters: { request: traceRequests(tracer), step: traceStep, verb: traceVerbs },
    storage: tracedStorage,
    [Symbol.asyncDispose]: () => exporter[Symbol.asyncDispose](),
  };
}
