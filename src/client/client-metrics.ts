/** Upstream: k8s.io/component-base/metrics/prometheus/{restclient,clientgo/leaderelection}. */
import type { Registry } from "#/std/metrics/metrics.ts";
import type { ClientOptions } from "./client.ts";

const latencyBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** Counts and times a client's requests: `new Client(transport, { onResponse: clientMetrics(registry, host) })`. */
export function clientMetrics(
  registry: Registry,
  host: string,
): NonNullable<ClientOptions["onResponse"]> {
  const requests = registry.counter({
    name: "rest_client_requests_total",
    help: "Number of HTTP requests, partitioned by status code, method, and host.",
    stability: "ALPHA",
    labels: ["code", "host", "method"],
  });
  const latency = registry.histogram({
    name: "rest_client_request_duration_seconds",
    help: "Request latency in seconds. Broken down by verb, and host.",
    stability: "ALPHA",
    labels: ["host", "verb"],
    buckets: latencyBuckets,
  });
  return ({ method }, { status, ms }) => {
    requests.with({ code: String(status), host, method }).inc();
    latency.with({ host, verb: method }).observe(ms / 1000);
  };
}

/** Tells whether this process leads: given to runAsLeader() as onLeading. */
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
