import type { Counter, Gauge, Histogram } from "#/std/metrics/metric-series.ts";
import { defaultBuckets, type Labelled, type Registry } from "#/std/metrics/metrics.ts";

/** The metrics of the gateway. */
export interface GatewayMetrics {
  readonly requests: Labelled<"code", Counter>;
  readonly duration: Histogram;
  readonly connections: Gauge;
  readonly planDuration: Histogram;
  readonly rules: Gauge;
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
  };
}
