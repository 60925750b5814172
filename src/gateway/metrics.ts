import type { Counter, Gauge, Histogram } from "#/std/metrics/metric-series.ts";
import { defaultBuckets, type Labelled, type Registry } from "#/std/metrics/metrics.ts";

/** The metrics of the gateway. */
export interface GatewayMetrics {
  readonly requests: Labelled<"code", Counter>;
  readonly duration: Histogram;
  readonly connections: Gauge;
  readonly planDuration: Histogram;
  readonly rules: Gauge;
  readonly routes: Gauge;
}

export function gatewayMetrics(registry: Registry): GatewayMetrics {
  return {
    requests: registry.counter({
      name: "gateway_requests_total",
      help: "Number of requests by the status of their response; 0 if the client went before.",
      labels: ["code"],
    }),
    duration: registry.histogram({
      name: "gateway_request_duration_seconds",
      help: "Time until the response to a request has begun.",
      buckets: defaultBuckets,
    }),
    connections: registry.gauge({
      name: "gateway_connections",
      help: "Number of open connections of clients.",
    }),
    planDuration: registry.histogram({
      name: "gateway_plan_duration_seconds",
      help: "Time to compute all routes.",
      buckets: defaultBuckets,
    }),
    rules: registry.gauge({
      name: "gateway_ingresses",
      help: "Number of Ingresses that are served.",
    }),
    routes: registry.gauge({
      name: "gateway_routes",
      help: "Number of routes of the Gateway API that are served.",
    }),
  };
}

/** Counts responses; the series of each status is looked up once. */
export function replyCounter(metrics: GatewayMetrics): (status: number, ms: number) => void {
  /** Limit: one for each status, of which HTTP has 900. */
  const series = new Map<number, Counter>();
  return (status, durationMs) => {
    const found = series.get(status) ?? metrics.requests.with({ code: String(status) });
    series.set(status, found);
    found.inc();
    metrics.duration.observe(durationMs / 1000);
  };
}
