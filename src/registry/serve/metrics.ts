import { defaultBuckets, type Registry } from "#/std/metrics/metrics.ts";

export type RegistryMetrics = ReturnType<typeof registryMetrics>;

/** Metrics with the names of CNCF's distribution, where it has the same. */
export function registryMetrics(registry: Registry) {
  return {
    requests: registry.counter({
      name: "registry_http_requests_total",
      help: "Total number of HTTP requests made.",
      labels: ["code", "handler", "method"],
    }),
    duration: registry.histogram({
      name: "registry_http_request_duration_seconds",
      help: "The HTTP request latencies in seconds.",
      labels: ["handler", "method"],
      buckets: defaultBuckets,
    }),
  };
}
