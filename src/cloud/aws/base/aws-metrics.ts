/** Upstream: cloud-provider-aws pkg/providers/v1/aws_metrics.go. */
import type { Registry } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { CallMetrics } from "../client/aws-client.ts";

/** Prometheus' default buckets (s). */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface AwsMetrics extends CallMetrics {
  /** Records the duration of a request under upstream's name ("describe_instance"), or that it failed. */
  measure<T>(request: string, run: () => Promise<T>): Promise<T>;
}

export function registerAwsMetrics(registry: Registry, clock: Clock): AwsMetrics {
  const stability = "ALPHA";
  const durations = registry.histogram({
    name: "cloudprovider_aws_api_request_duration_seconds",
    help: "Latency of AWS API calls",
    stability,
    labels: ["request"],
    buckets,
  });
  const errors = registry.counter({
    name: "cloudprovider_aws_api_request_errors",
    help: "AWS API errors",
    stability,
    labels: ["request"],
  });
  const throttled = registry.counter({
    name: "cloudprovider_aws_api_throttled_requests_total",
    help: "AWS API throttled requests",
    stability,
    labels: ["operation_name"],
  });
  const statuses = registry.counter({
    name: "cloudprovider_aws_api_response_status_total",
    help: "AWS API error response status code counts (terminal, after retries are exhausted)",
    stability,
    labels: ["service", "operation", "status_code"],
  });
  return {
    async measure(request, run) {
      const start = clock.monotonicMs();
      try {
        const result = await run();
        durations.with({ request }).observe((clock.monotonicMs() - start) / 1000);
        return result;
      } catch (error) {
        errors.with({ request }).inc();
        throw error;
      }
    },
    recordStatus(service, operation, status) {
      statuses.with({ service, operation, status_code: String(status) }).inc();
    },
    recordThrottled(action) {
      throttled.with({ operation_name: action }).inc();
    },
  };
}
