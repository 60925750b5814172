/** Upstream: staging/src/k8s.io/cloud-provider/controllers/nodelifecycle/metrics.go. */
import { exponentialBuckets, Registry } from "#/std/metrics/metrics.ts";

/** Metrics of the cloud node lifecycle controller. */
export function lifecycleMetrics(registry = new Registry()) {
  return {
    monitorSeconds: registry.histogram({
      name: "cloud_node_lifecycle_controller_monitor_nodes_duration_seconds",
      help: "A metric measuring the duration in seconds of a single MonitorNodes loop execution.",
      stability: "ALPHA",
      buckets: exponentialBuckets(0.001, 2, 15),
    }),
    calls: registry.counter({
      name: "cloud_node_lifecycle_controller_cloud_provider_calls_total",
      help: "The total number of cloud provider API calls, labeled by operation and result.",
      stability: "ALPHA",
      labels: ["operation", "result"],
    }),
  };
}
