import type { Counter, Gauge, Histogram } from "#/std/metrics/metric-series.ts";
import type { Labelled, Registry } from "#/std/metrics/metrics.ts";

/** The metrics of network-policy. */
export interface PolicyMetrics {
  readonly policies: Labelled<"kind", Gauge>;
  readonly pods: Gauge;
  readonly writeDuration: Histogram;
  readonly writeFailures: Counter;
  readonly repairs: Counter;
  readonly denied: Labelled<"direction" | "namespace" | "policy", Counter>;
}

/** Bounds (s) of the duration of a write: the kernel takes milliseconds, a table of 10,000 Pods seconds. */
const writeBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function policyMetrics(registry: Registry): PolicyMetrics {
  return {
    policies: registry.gauge({
      name: "network_policy_policies",
      help: "Number of policies.",
      labels: ["kind"],
    }),
    pods: registry.gauge({
      name: "network_policy_local_pods",
      help: "Number of Pods of this node whose policies are in force.",
    }),
    writeDuration: registry.histogram({
      name: "network_policy_write_duration_seconds",
      help: "Time from a change until it is in force.",
      buckets: writeBuckets,
    }),
    writeFailures: registry.counter({
      name: "network_policy_write_failures_total",
      help: "Number of changes that the kernel has refused; they are tried again.",
    }),
    repairs: registry.counter({
      name: "network_policy_repairs_total",
      help: "Number of times that another program had changed the rules.",
    }),
    denied: registry.counter({
      name: "network_policy_denied_packets_total",
      help: "Number of denied packets of Pods of this node, by each policy that selects the Pod.",
      labels: ["direction", "namespace", "policy"],
    }),
  };
}
