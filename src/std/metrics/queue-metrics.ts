/** Upstream: staging/src/k8s.io/component-base/metrics/prometheus/workqueue/metrics.go. */

import type { QueueObserver } from "../async/queue.ts";
import { exponentialBuckets, type Registry } from "./metrics.ts";

/** Makes observers for the queues of a component, by their name in metrics. */
export function queueMetrics(registry: Registry): (name: string) => QueueObserver {
  const common = { stability: "BETA", labels: ["name"] } as const;
  const buckets = exponentialBuckets(10e-9, 10, 10);
  const depth = registry.gauge({
    ...common,
    name: "workqueue_depth",
    help: "Current depth of workqueue",
  });
  const adds = registry.counter({
    ...common,
    name: "workqueue_adds_total",
    help: "Total number of adds handled by workqueue",
  });
  const retries = registry.counter({
    ...common,
    name: "workqueue_retries_total",
    help: "Total number of retries handled by workqueue",
  });
  const waited = registry.histogram({
    ...common,
    name: "workqueue_queue_duration_seconds",
    help: "How long in seconds an item stays in workqueue before being requested.",
    buckets,
  });
  const worked = registry.histogram({
    ...common,
    name: "workqueue_work_duration_seconds",
    help: "How long in seconds processing an item from workqueue takes.",
    buckets,
  });
  const working = workingGauges(registry);
  return (name) => {
    const series = { depth: depth.with({ name }), adds: adds.with({ name }) };
    const times = { waited: waited.with({ name }), worked: worked.with({ name }) };
    const retried = retries.with({ name });
    return {
      attach: (workingSeconds) => working(name, workingSeconds),
      depth: (count) => series.depth.set(count),
      added: () => series.adds.inc(),
      retried: () => retried.inc(),
      waited: (seconds) => times.waited.observe(seconds),
      worked: (seconds) => times.worked.observe(seconds),
    };
  };
}

/** The gauges of work in progress, computed at each scrape. */
function workingGauges(registry: Registry) {
  const common = { stability: "BETA", labels: ["name"] } as const;
  const unfinished = registry.gauge({
    ...common,
    name: "workqueue_unfinished_work_seconds",
    help:
      "How many seconds of work has done that is in progress and hasn't been observed by " +
      "work_duration. Large values indicate stuck threads. One can deduce the number of stuck " +
      "threads by observing the rate at which this increases.",
  });
  const longest = registry.gauge({
    ...common,
    name: "workqueue_longest_running_processor_seconds",
    help: "How many seconds has the longest running processor for workqueue been running.",
  });
  return (name: string, workingSeconds: () => readonly number[]): void => {
    unfinished.with({ name }).setFunction(() => workingSeconds().reduce((a, b) => a + b, 0));
    longest.with({ name }).setFunction(() => Math.max(0, ...workingSeconds()));
  };
}
