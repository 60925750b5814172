/** Upstream: staging/src/k8s.io/cloud-provider/controllers/node/metrics.go. */
import { exponentialBuckets, Registry } from "#/std/metrics/metrics.ts";

/** Metrics of the cloud node controller. */
export function cloudNodeMetrics(registry = new Registry()) {
  const buckets = exponentialBuckets(1, 4, 6);
  return {
    taintRemovalSeconds: registry.histogram({
      name: "node_controller_cloud_provider_taint_removal_delay_seconds",
      help: "Number of seconds after node creation when NodeController removed the cloud-provider taint of a single node.",
      stability: "ALPHA",
      buckets,
    }),
    initialSyncSeconds: registry.histogram({
      name: "node_controller_initial_node_sync_delay_seconds",
      help: "Number of seconds after node creation when NodeController finished the initial synchronization of a single node.",
      stability: "ALPHA",
      buckets,
    }),
  };
}
