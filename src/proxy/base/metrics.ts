import {
  exponentialBuckets,
  type LabelledOptions,
  linearBuckets,
  Registry,
} from "#/std/metrics/metrics.ts";

export type ProxyMode = "iptables" | "ipvs" | "nftables";

const stability = "ALPHA" as const;
const syncBuckets = exponentialBuckets(0.001, 2, 15);

/** From a quarter of a second to five minutes. */
const programmingBuckets = [
  ...linearBuckets(0.25, 0.25, 2),
  ...linearBuckets(1, 1, 59),
  ...linearBuckets(60, 5, 12),
  ...linearBuckets(120, 30, 7),
];

export type ProxyMetrics = ReturnType<typeof proxyMetrics>;

/**
 * kube-proxy's own metrics in a mode; those of other modes are not exposed. Upstream:
 * pkg/proxy/metrics/metrics.go.
 */
export function proxyMetrics(registry: Registry, mode: ProxyMode) {
  const notExposed = new Registry();
  const of = (...modes: ProxyMode[]): Registry => (modes.includes(mode) ? registry : notExposed);
  return {
    ...syncMetrics(registry),
    ...durationMetrics(of("iptables", "nftables")),
    ...changeMetrics(registry),
    restoreFailures: of("iptables", "ipvs").counter(
      perFamily(
        "sync_proxy_rules_iptables_restore_failures_total",
        "Cumulative proxy iptables restore failures",
      ),
    ),
    ...iptablesMetrics(of("iptables")),
    ...nftablesMetrics(of("nftables")),
    ...serverMetrics(registry),
  };
}

function nftablesMetrics(registry: Registry) {
  return {
    nftSyncFailures: registry.counter(
      perFamily(
        "sync_proxy_rules_nftables_sync_failures_total",
        "Cumulative proxy nftables sync failures",
      ),
    ),
    nftCleanupFailures: registry.counter(
      perFamily(
        "sync_proxy_rules_nftables_cleanup_failures_total",
        "Cumulative proxy nftables cleanup failures",
      ),
    ),
  };
}

function serverMetrics(registry: Registry) {
  return {
    healthz: registry.counter({
      name: "kubeproxy_proxy_healthz_total",
      help: "Cumulative proxy healthz HTTP status",
      stability,
      labels: ["code"],
    }),
    livez: registry.counter({
      name: "kubeproxy_proxy_livez_total",
      help: "Cumulative proxy livez HTTP status",
      stability,
      labels: ["code"],
    }),
    conntrackDuration: registry.histogram({
      ...perFamily(
        "conntrack_reconciler_sync_duration_seconds",
        "ReconcileConntrackFlowsLatency latency in seconds",
      ),
      buckets: syncBuckets,
    }),
    conntrackDeleted: registry.counter(
      perFamily(
        "conntrack_reconciler_deleted_entries_total",
        "Cumulative conntrack flows deleted by conntrack reconciler",
      ),
    ),
  };
}

function perFamily(name: string, help: string): LabelledOptions<"ip_family"> {
  return { name: `kubeproxy_${name}`, help, stability, labels: ["ip_family"] };
}

function duration(registry: Registry, name: string, help: string) {
  return registry.histogram({ ...perFamily(name, help), buckets: syncBuckets });
}

function durationMetrics(registry: Registry) {
  return {
    fullSyncDuration: duration(
      registry,
      "sync_full_proxy_rules_duration_seconds",
      "SyncProxyRules latency in seconds for full resyncs",
    ),
    partialSyncDuration: duration(
      registry,
      "sync_partial_proxy_rules_duration_seconds",
      "SyncProxyRules latency in seconds for partial resyncs",
    ),
  };
}

function syncMetrics(registry: Registry) {
  return {
    syncDuration: duration(
      registry,
      "sync_proxy_rules_duration_seconds",
      "SyncProxyRules latency in seconds",
    ),
    lastSync: registry.gauge(
      perFamily(
        "sync_proxy_rules_last_timestamp_seconds",
        "The last time proxy rules were successfully synced",
      ),
    ),
    lastQueued: registry.gauge(
      perFamily(
        "sync_proxy_rules_last_queued_timestamp_seconds",
        "The last time a sync of proxy rules was queued",
      ),
    ),
    programming: registry.histogram({
      ...perFamily(
        "network_programming_duration_seconds",
        "In Cluster Network Programming Latency in seconds",
      ),
      buckets: programmingBuckets,
    }),
    noLocalEndpoints: registry.gauge({
      name: "kubeproxy_sync_proxy_rules_no_local_endpoints_total",
      help: "Number of services with a Local traffic policy and no endpoints",
      stability,
      labels: ["traffic_policy", "ip_family"],
    }),
  };
}

function changeMetrics(registry: Registry) {
  const name = (rest: string): string => `kubeproxy_sync_proxy_rules_${rest}`;
  return {
    endpointChangesPending: registry.gauge({
      name: name("endpoint_changes_pending"),
      help: "Pending proxy rules Endpoint changes",
      stability,
    }),
    endpointChanges: registry.counter({
      name: name("endpoint_changes_total"),
      help: "Cumulative proxy rules Endpoint changes",
      stability,
    }),
    serviceChangesPending: registry.gauge({
      name: name("service_changes_pending"),
      help: "Pending proxy rules Service changes",
      stability,
    }),
    serviceChanges: registry.counter({
      name: name("service_changes_total"),
      help: "Cumulative proxy rules Service changes",
      stability,
    }),
  };
}

function iptablesMetrics(registry: Registry) {
  const labels = ["table", "ip_family"] as const;
  return {
    partialRestoreFailures: registry.counter(
      perFamily(
        "sync_proxy_rules_iptables_partial_restore_failures_total",
        "Cumulative proxy iptables partial restore failures",
      ),
    ),
    // Without a series until the kernel has such a counter.
    invalidDropped: registry.counter({
      name: "kubeproxy_iptables_ct_state_invalid_dropped_packets_total",
      help: "packets dropped by iptables to work around conntrack problems",
      stability,
      labels: [],
    }),
    localhostAccepted: registry.counter({
      name: "kubeproxy_iptables_localhost_nodeports_accepted_packets_total",
      help: "Number of packets accepted on nodeports of loopback interface",
      stability,
      labels: [],
    }),
    iptablesRules: registry.gauge({
      name: "kubeproxy_sync_proxy_rules_iptables_total",
      help: "Total number of iptables rules owned by kube-proxy",
      stability,
      labels,
    }),
    iptablesWritten: registry.gauge({
      name: "kubeproxy_sync_proxy_rules_iptables_last",
      help: "Number of iptables rules written by kube-proxy in last sync",
      stability,
      labels,
    }),
  };
}
