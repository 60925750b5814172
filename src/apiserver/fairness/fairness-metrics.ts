import { memoByIdentity } from "#/std/memory/memo.ts";
import type { Counter, Gauge, Histogram } from "#/std/metrics/metric-series.ts";
import type { Labelled, Registry } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Classification, Fairness } from "./fairness.ts";
import type { PriorityLevel, Rejection } from "./priority-level.ts";

type Flow = "flow_schema" | "priority_level";
type Stability = "ALPHA" | "BETA";

const prefix = "apiserver_flowcontrol_";
const durationBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

/** When a request waited, in milliseconds of the monotonic clock. */
interface Wait {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The series of one schema's requests. */
interface FlowSeries {
  readonly labels: Readonly<Record<Flow, string>>;
  readonly dispatched: Counter;
  readonly executing: Gauge;
  readonly executingSeats: Gauge;
  readonly seats: Histogram;
  readonly regular: Histogram;
  readonly watch: Histogram;
  readonly waiting: Gauge;
  readonly waitingSeats: Gauge;
  readonly queueLength: Histogram;
  /** Series of requests that got their seats. */
  readonly waited: Histogram;
}

/** Metrics of priority and fairness. Upstream: staging/src/k8s.io/apiserver/pkg/util/flowcontrol/metrics/metrics.go. */
export class FairnessMetrics {
  readonly #clock: Clock;
  readonly #flow: (classified: Classification) => FlowSeries;
  readonly #rejected: Labelled<Flow | "reason", Counter>;
  readonly #waited: Labelled<Flow | "execute", Histogram>;

  constructor(metrics: Registry, fairness: Fairness, clock: Clock) {
    this.#clock = clock;
    this.#rejected = metrics.counter(
      byFlow("rejected_requests_total", "BETA", "Requests that were turned away.", "reason"),
    );
    const waited = "How long requests waited for their seats, by whether they got them.";
    this.#waited = metrics.histogram({
      ...byFlow("request_wait_duration_seconds", "BETA", waited, "execute"),
      buckets: durationBuckets,
    });
    const open = flowSeries(metrics, this.#waited);
    this.#flow = memoByIdentity(({ schema, level }) =>
      open({ flow_schema: schema.metadata.name ?? "", priority_level: level.name }),
    );
    levelMetrics(metrics, fairness);
  }

  /** Records a request that did not have to wait. */
  atOnce(classified: Classification): void {
    if (!classified.level.isExempt) this.#flow(classified).waited.observe(0);
  }

  /** Records that a request has its seats; the result is to be called when it releases them. */
  started(classified: Classification, seats: number, isWatch: boolean): () => void {
    const flow = this.#flow(classified);
    const startMs = this.#clock.monotonicMs();
    flow.dispatched.inc();
    flow.seats.observe(seats);
    flow.executing.inc();
    flow.executingSeats.inc(seats);
    return () => {
      flow.executing.dec();
      flow.executingSeats.dec(seats);
      const series = isWatch ? flow.watch : flow.regular;
      series.observe((this.#clock.monotonicMs() - startMs) / 1000);
    };
  }

  /**
   * Records that a request waits; the result is to be called with the reason why it got no seats, or undefined, and
   * says when it waited.
   */
  waiting(classified: Classification, seats: number): (rejection: Rejection | undefined) => Wait {
    const flow = this.#flow(classified);
    const startMs = this.#clock.monotonicMs();
    flow.waiting.inc();
    flow.waitingSeats.inc(seats);
    flow.queueLength.observe(classified.level.queued);
    return (rejection) => {
      flow.waiting.dec();
      flow.waitingSeats.dec(seats);
      const execute = String(rejection === undefined);
      const endMs = this.#clock.monotonicMs();
      this.#waited.with({ ...flow.labels, execute }).observe((endMs - startMs) / 1000);
      if (rejection) this.#rejected.with({ ...flow.labels, reason: rejection }).inc();
      return { fromMs: startMs, toMs: endMs };
    };
  }
}

/** A metric with labels for schema and level, and further ones. */
const byFlow = <More extends string = never>(
  name: string,
  stability: Stability,
  help: string,
  ...more: More[]
) => ({
  name: prefix + name,
  help,
  stability,
  labels: ["flow_schema", "priority_level", ...more] as const,
});

/** The series of each schema. */
function flowSeries(
  metrics: Registry,
  waited: Labelled<Flow | "execute", Histogram>,
): (labels: Readonly<Record<Flow, string>>) => FlowSeries {
  const gauge = (name: string, stability: Stability, help: string) =>
    metrics.gauge(byFlow(name, stability, help));
  const dispatched = metrics.counter(
    byFlow("dispatched_requests_total", "BETA", "Requests that got their seats."),
  );
  const executing = gauge("current_executing_requests", "BETA", "Requests that run.");
  const executingSeats = gauge("current_executing_seats", "BETA", "Seats in use.");
  const waiting = gauge("current_inqueue_requests", "BETA", "Requests that wait.");
  const waitingSeats = gauge("current_inqueue_seats", "ALPHA", "Seats that are waited for.");
  const seats = metrics.histogram({
    ...byFlow("work_estimated_seats", "ALPHA", "How many seats requests take."),
    buckets: [1, 2, 4, 8, 16, 32, 64, 100],
  });
  const queued = "How many requests wait when another one begins to.";
  const queueLength = metrics.histogram({
    ...byFlow("request_queue_length_after_enqueue", "ALPHA", queued),
    buckets: [0, 10, 25, 50, 100, 250, 500, 1000],
  });
  const kept = "How long requests keep their seats.";
  const execution = metrics.histogram({
    ...byFlow("request_execution_seconds", "ALPHA", kept, "type"),
    buckets: durationBuckets,
  });
  return (labels) => ({
    labels,
    dispatched: dispatched.with(labels),
    executing: executing.with(labels),
    executingSeats: executingSeats.with(labels),
    seats: seats.with(labels),
    regular: execution.with({ ...labels, type: "regular" }),
    watch: execution.with({ ...labels, type: "watch" }),
    waiting: waiting.with(labels),
    waitingSeats: waitingSeats.with(labels),
    queueLength: queueLength.with(labels),
    waited: waited.with({ ...labels, execute: "true" }),
  });
}

/** Gauges of each level, computed on each read. */
function levelMetrics(metrics: Registry, fairness: Fairness): void {
  const levels: readonly (readonly [string, string, Stability, Read])[] = [
    ["nominal_limit_seats", "Seats of each level.", "BETA", (level) => level.nominalSeats],
    ["lower_limit_seats", "Seats that a level keeps.", "ALPHA", (level) => level.lowerSeats],
    ["upper_limit_seats", "Seats that a level can get.", "ALPHA", (level) => level.upperSeats],
    ["current_limit_seats", "Seats that a level has now.", "ALPHA", (level) => level.currentSeats],
  ];
  const gauges = levels.map(([name, help, stability, read]) => ({
    gauge: metrics.gauge({
      name: prefix + name,
      help,
      stability,
      labels: ["priority_level"],
    }),
    read,
  }));
  metrics.beforeExpose(() => {
    for (const { gauge, read } of gauges) {
      gauge.reset();
      for (const level of fairness.levels) {
        gauge.with({ priority_level: level.name }).set(read(level));
      }
    }
  });
}

type Read = (level: PriorityLevel) => number;
