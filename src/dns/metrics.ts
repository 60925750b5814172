import { defaultBuckets, exponentialBuckets, type Registry } from "#/std/metrics/metrics.ts";

export type DnsMetrics = ReturnType<typeof dnsMetrics>;

/** Metrics with CoreDNS's names, so that dashboards for it work. */
export function dnsMetrics(registry: Registry) {
  return {
    requests: registry.counter({
      name: "coredns_dns_requests_total",
      help: "Counter of DNS requests made per zone, protocol and family.",
      labels: ["server", "zone", "view", "proto", "family", "type"],
    }),
    responses: registry.counter({
      name: "coredns_dns_responses_total",
      help: "Counter of response status codes.",
      labels: ["server", "zone", "view", "rcode", "plugin"],
    }),
    duration: registry.histogram({
      name: "coredns_dns_request_duration_seconds",
      help: "Histogram of the time (in seconds) each request took per zone.",
      labels: ["server", "zone", "view"],
      buckets: exponentialBuckets(0.00025, 2, 16),
    }),
    cacheEntries: registry.gauge({
      name: "coredns_cache_entries",
      help: "The number of elements in the cache.",
    }),
    cacheHits: registry.counter({
      name: "coredns_cache_hits_total",
      help: "The count of cache hits.",
    }),
    cacheMisses: registry.counter({
      name: "coredns_cache_misses_total",
      help: "The count of cache misses.",
    }),
    forwardDuration: registry.histogram({
      name: "coredns_proxy_request_duration_seconds",
      help: "Histogram of the time each request took.",
      labels: ["to"],
      buckets: defaultBuckets,
    }),
    forwardFailures: registry.counter({
      name: "coredns_forward_healthcheck_broken_total",
      help: "Counter of the number of attempts that no upstream server answered.",
    }),
    forwardRefusals: registry.counter({
      name: "coredns_forward_max_concurrent_rejects_total",
      help: "Counter of the number of queries rejected because the concurrent queries were at maximum.",
    }),
  };
}
