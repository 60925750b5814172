/** Upstream: staging/src/k8s.io/cloud-provider/controllers/service/metrics.go. */
import { exponentialBuckets, Registry } from "#/std/metrics/metrics.ts";

/** Metrics of the service controller. */
export function serviceMetrics(registry = new Registry()) {
  const buckets = exponentialBuckets(1, 2, 15);
  return {
    syncs: registry.counter({
      name: "service_controller_loadbalancer_sync_total",
      help: "A metric counting the amount of times any load balancer has been configured, as an effect of service/node changes on the cluster",
      stability: "ALPHA",
    }),
    nodeSyncErrors: registry.counter({
      name: "service_controller_nodesync_error_total",
      help: "A metric counting the amount of times any load balancer has been configured and errored, as an effect of node changes on the cluster",
      stability: "ALPHA",
    }),
    nodeSyncSeconds: registry.histogram({
      name: "service_controller_nodesync_latency_seconds",
      help: "A metric measuring the latency for nodesync which updates loadbalancer hosts on cluster node updates.",
      stability: "ALPHA",
      buckets,
    }),
    updateSeconds: registry.histogram({
      name: "service_controller_update_loadbalancer_host_latency_seconds",
      help: "A metric measuring the latency for updating each load balancer hosts.",
      stability: "ALPHA",
      buckets,
    }),
  };
}
