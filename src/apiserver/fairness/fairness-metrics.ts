import type { Counter } from "#/std/metric-series.ts";
import type { Labelled, Registry } from "#/std/metrics.ts";
import type { Fairness } from "./fairness.ts";

/** What the gate counts. */
export interface FairnessMetrics {
  readonly rejected: Labelled<"flow_schema" | "priority_level" | "reason", Counter>;
}

/** Upstream: apiserver/pkg/util/flowcontrol/metrics/metrics.go. */
export function fairnessMetrics(metrics: Registry, fairness: Fairness): FairnessMetrics {
  const gauges = [
    ["apiserver_flowcontrol_current_executing_requests", "Requests that run.", "executing"],
    ["apiserver_flowcontrol_current_inqueue_requests", "Requests that wait.", "queued"],
    ["apiserver_flowcontrol_current_executing_seats", "Seats in use.", "usedSeats"],
    ["apiserver_flowcontrol_nominal_limit_seats", "Seats of each level.", "nominalSeats"],
  ] as const;
  const made = gauges.map(([name, help, field]) => ({
    gauge: metrics.gauge({ name, help, stability: "BETA", labels: ["priority_level"] }),
    field,
  }));
  const dispatched = metrics.counter({
    name: "apiserver_flowcontrol_dispatched_requests_total",
    help: "Requests that got their seats.",
    stability: "BETA",
    labels: ["priority_level"],
  });
  metrics.beforeExpose(() => {
    for (const level of fairness.levels) {
      dispatched.with({ priority_level: level.name }).inc(level.dispatched);
      level.dispatched = 0;
    }
    for (const { gauge, field } of made) {
      gauge.reset();
      for (const level of fairness.levels) {
        gauge.with({ priority_level: level.name }).set(level[field]);
      }
    }
  });
  return {
    rejected: metrics.counter({
      name: "apiserver_flowcontrol_rejected_requests_total",
      help: "Requests that were turned away.",
      stability: "BETA",
      labels: ["flow_schema", "priority_level", "reason"],
    }),
  };
}
