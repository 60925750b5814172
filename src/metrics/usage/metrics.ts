/** Upstream: sigs.k8s.io/metrics-server, pkg/scraper, pkg/storage/monitoring.go, pkg/api/monitoring.go, pkg/utils. */
import type { Counter, Gauge, Histogram } from "#/std/metrics/metric-series.ts";
import {
  defaultBuckets,
  exponentialBuckets,
  type Labelled,
  type Registry,
} from "#/std/metrics/metrics.ts";
import type { History } from "./history.ts";

/** The metrics of readings. */
export interface ScrapeMetrics {
  readonly duration: Labelled<"node", Histogram>;
  readonly requests: Labelled<"success", Counter>;
  readonly lastRequest: Labelled<"node", Gauge>;
  readonly tick: Histogram;
  /** Counts the points for which there is usage. */
  stored(history: History): void;
}

/** Registers the metrics of readings. */
export function scrapeMetrics(registry: Registry, resolutionMs: number): ScrapeMetrics {
  const stability = "ALPHA";
  const points = registry.gauge({
    name: "metrics_server_storage_points",
    help: "Number of metrics points stored.",
    stability,
    labels: ["type"],
  });
  return {
    duration: registry.histogram({
      name: "metrics_server_kubelet_request_duration_seconds",
      help: "Duration of requests to Kubelet API in seconds",
      stability,
      labels: ["node"],
      buckets: defaultBuckets,
    }),
    requests: registry.counter({
      name: "metrics_server_kubelet_request_total",
      help: "Number of requests sent to Kubelet API",
      stability,
      labels: ["success"],
    }),
    lastRequest: registry.gauge({
      name: "metrics_server_kubelet_last_request_time_seconds",
      help: "Time of last request performed to Kubelet API since unix epoch in seconds",
      stability,
      labels: ["node"],
    }),
    tick: registry.histogram({
      name: "metrics_server_manager_tick_duration_seconds",
      help: "The total time spent collecting and storing metrics in seconds.",
      stability,
      buckets: bucketsAround(resolutionMs / 1000),
    }),
    stored({ nodes, pods }) {
      const containers = [...pods.values()].flatMap((pairs) => [...pairs.values()]);
      const counted = (pairs: Iterable<{ readonly previous: unknown }>): number =>
        [...pairs].filter(({ previous }) => previous).length;
      points.with({ type: "node" }).set(counted(nodes.values()));
      points.with({ type: "container" }).set(counted(containers));
    },
  };
}

/** The age of what the API returns. */
export const freshnessMetric = (registry: Registry): Histogram =>
  registry.histogram({
    name: "metrics_server_api_metric_freshness_seconds",
    help: "Freshness of metrics exported",
    stability: "ALPHA",
    buckets: exponentialBuckets(1, 1.364, 20),
  });

/** The default bounds, and some around the interval of readings. */
function bucketsAround(seconds: number): number[] {
  const max = defaultBuckets.at(-1) ?? 0;
  if (seconds > max) {
    return [...defaultBuckets, max + (seconds - max) / 2, seconds, seconds * 1.5, seconds * 2];
  }
  const isKnown = defaultBuckets.some((bound) => Math.abs(bound - seconds) < defaultBuckets[0]);
  return isKnown ? [...defaultBuckets] : [...defaultBuckets, seconds].sort((a, b) => a - b);
}
