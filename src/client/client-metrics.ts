/**
 * Upstream: staging/src/k8s.io/component-base/metrics/prometheus/{restclient,clientgo/leaderelection}.
 */
import type { Registry } from "#/std/metrics/metrics.ts";
import type { RequestMetrics } from "./client.ts";

const latencyBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** Counts and times the requests of a component's clients. */
export function clientMetrics(registry: Registry): RequestMetrics {
  const byVerb = { stability: "ALPHA", labels: ["host", "verb"], buckets: latencyBuckets } as const;
  const requests = registry.counter({
    name: "rest_client_requests_total",
    help: "Number of HTTP requests, partitioned by status code, method, and host.",
    stability: "ALPHA",
    labels: ["code", "host", "method"],
  });
  const retries = registry.counter({
    name: "rest_client_request_retries_total",
    help: "Number of request retries, partitioned by status code, verb, and host.",
    stability: "ALPHA",
    labels: ["code", "host", "verb"],
  });
  const latency = registry.histogram({
    name: "rest_client_request_duration_seconds",
    help: "Request latency in seconds. Broken down by verb, and host.",
    ...byVerb,
  });
  const limiter = registry.histogram({
    name: "rest_client_rate_limiter_duration_seconds",
    help: "Client side rate limiter latency in seconds. Broken down by verb, and host.",
    ...byVerb,
  });
  return {
    tried({ method, host }, status, isRetry) {
      const code = status === undefined ? "<error>" : String(status);
      requests.with({ code, host, method }).inc();
      if (isRetry) retries.with({ code, host, verb: method }).inc();
    },
    timed: ({ method, host }, ms) => latency.with({ host, verb: method }).observe(ms / 1000),
    throttled: ({ method, host }, ms) => limiter.with({ host, verb: method }).observe(ms / 1000),
  };
}

/** The gauge of leadership of this process: given to runAsLeader() as onLeading. */
export function leaderMetrics(registry: Registry, lease: string): (leading: boolean) => void {
  const status = registry
    .gauge({
      name: "leader_election_master_status",
      help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.",
      stability: "ALPHA",
      labels: ["name"],
    })
    .with({ name: lease });
  status.set(0);
  return (leading) => status.set(leading ? 1 : 0);
}
