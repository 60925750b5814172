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
    cachePrefetches: registry.counter({
      name: "coredns_cache_prefetch_total",
      help: "The number of times the cache has prefetched a cached item.",
    }),
    cacheStale: registry.counter({
      name: "coredns_cache_served_stale_total",
      help: "The number of requests served from stale cache entries.",
    }),
    hostsEntries: registry.gauge({
      name: "coredns_hosts_entries",
      help: "The combined number of entries in hosts and Corefile.",
    }),
    reloadFailures: registry.counter({
      name: "coredns_reload_failed_total",
      help: "Counter of the number of failed reload attempts.",
    }),
    plugins: registry.gauge({
      name: "coredns_plugin_enabled",
      help: "A metric that indicates whether a plugin is enabled on per server and zone basis.",
      labels: ["server", "zone", "view", "name"],
    }),
    panics: registry.counter({
      name: "coredns_panics_total",
      help: "A metrics that counts the number of panics.",
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
