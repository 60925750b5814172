import type { Counter, Histogram } from "#/std/metrics/metric-series.ts";
import { exponentialBuckets, type Registry } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Rejection } from "./framework/rejection.ts";

/** Measures one extension point; a phase that is disposed before end() is called has failed. */
export interface PhaseTimer extends Disposable {
  end(rejection: Rejection | undefined): void;
}

/** The result of an attempt. */
type AttemptResult = "scheduled" | "unschedulable" | "error";

/** State of a scheduler that is read at each scrape. */
interface SchedulerState {
  counts(): { active: number; backoff: number; unschedulable: number; gated: number };
  cacheSize(): { nodes: number; pods: number; assumed_pods: number };
  /** Plugin and profile of each rejection of each pending pod. */
  refusals(): Iterable<readonly [plugin: string, profile: string]>;
  inFlightEvents(): number;
  bindings(): number;
}

const attemptLimit = 15;

/**
 * The metrics of a scheduler, under upstream's names.
 *
 * Upstream: pkg/scheduler/metrics/metrics.go.
 */
export class SchedulerMetrics {
  readonly #preemptionAttempts: Counter;
  readonly #preemptionVictims: Histogram;
  readonly #clock: Clock;
  readonly #registry: Registry;
  readonly #attempts;
  readonly #attemptDuration;
  readonly #algorithmDuration: Histogram;
  readonly #podAttempts: Histogram;
  readonly #sliDuration;
  readonly #afterFlush: Counter;
  readonly #phaseDuration;
  readonly #incoming;
  readonly #incomingEntities;
  readonly #eventDuration;
  readonly #permitWait;
  /** Series by extension point, status and profile: a lookup without creating label sets. */
  readonly #phases = new Map<string, Histogram>();

  constructor(registry: Registry, clock: Clock) {
    this.#clock = clock;
    this.#registry = registry;
    this.#attempts = registry.counter({
      name: "scheduler_schedule_attempts_total",
      help: "Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be scheduled, while 'error' means an internal scheduler problem.",
      stability: "STABLE",
      labels: ["result", "profile"],
    });
    this.#attemptDuration = registry.histogram({
      name: "scheduler_scheduling_attempt_duration_seconds",
      help: "Scheduling attempt latency in seconds (scheduling algorithm + binding)",
      stability: "STABLE",
      labels: ["result", "profile"],
      buckets: exponentialBuckets(0.001, 2, 15),
    });
    this.#algorithmDuration = registry.histogram({
      name: "scheduler_scheduling_algorithm_duration_seconds",
      help: "Scheduling algorithm latency in seconds",
      stability: "BETA",
      buckets: exponentialBuckets(0.001, 2, 15),
    });
    this.#preemptionVictims = registry.histogram({
      name: "scheduler_preemption_victims",
      help: "Number of selected preemption victims for preemption initiated by a single pod",
      stability: "STABLE",
      buckets: exponentialBuckets(1, 2, 7),
    });
    this.#preemptionAttempts = registry.counter({
      name: "scheduler_preemption_attempts_total",
      help: "Total preemption attempts in the cluster till now",
      stability: "STABLE",
    });
    this.#podAttempts = registry.histogram({
      name: "scheduler_pod_scheduling_attempts",
      help: "Number of attempts to successfully schedule a pod.",
      stability: "STABLE",
      buckets: exponentialBuckets(1, 2, 5),
    });
    this.#sliDuration = registry.histogram({
      name: "scheduler_pod_scheduling_sli_duration_seconds",
      help: "E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue and might involve multiple scheduling attempts.",
      stability: "BETA",
      labels: ["attempts"],
      buckets: exponentialBuckets(0.01, 2, 20),
    });
    this.#afterFlush = registry.counter({
      name: "scheduler_pod_scheduled_after_flush_total",
      help: "Number of pods that were successfully scheduled after being flushed from unschedulableEntities due to timeout. This metric helps detect potential queueing hint misconfigurations or event handling issues.",
      stability: "ALPHA",
    });
    this.#phaseDuration = registry.histogram({
      name: "scheduler_framework_extension_point_duration_seconds",
      help: "Latency for running all plugins of a specific extension point.",
      stability: "STABLE",
      labels: ["extension_point", "status", "profile"],
      buckets: exponentialBuckets(0.0001, 2, 12),
    });
    this.#incoming = registry.counter({
      name: "scheduler_queue_incoming_pods_total",
      help: "Number of pods added to scheduling queues by event and queue type.",
      stability: "STABLE",
      labels: ["queue", "event"],
    });
    this.#incomingEntities = registry.counter({
      name: "scheduler_queue_incoming_entities_total",
      help: "Number of scheduling entities added to scheduling queues by event, queue type, and entity type. Entity types are either 'pod' (for individual pods that are not members of any podgroup) or 'podgroup'.",
      stability: "ALPHA",
      labels: ["queue", "event", "type"],
    });
    this.#eventDuration = registry.histogram({
      name: "scheduler_event_handling_duration_seconds",
      help: "Event handling latency in seconds.",
      stability: "ALPHA",
      labels: ["event"],
      buckets: exponentialBuckets(0.0001, 2, 12),
    });
    this.#permitWait = registry.histogram({
      name: "scheduler_permit_wait_duration_seconds",
      help: "Duration of waiting on permit.",
      stability: "BETA",
      labels: ["result"],
      buckets: exponentialBuckets(0.001, 2, 15),
    });
  }

  /** Reads the state of a scheduler at each scrape. */
  watch(state: SchedulerState): void {
    const pending = this.#registry.gauge({
      name: "scheduler_pending_pods",
      help: "Number of pending pods, by the queue type. 'active' means number of pods in activeQ; 'backoff' means number of pods in backoffQ; 'unschedulable' means number of pods in unschedulableEntities that the scheduler attempted to schedule and failed; 'gated' is the number of unschedulable pods that the scheduler never attempted to schedule because they are gated; 'incomplete' means number of pods in incompletePodGroupPods; 'pending' means number of pods in pendingPodGroupPods.",
      stability: "STABLE",
      labels: ["queue"],
    });
    const cache = this.#registry.gauge({
      name: "scheduler_cache_size",
      help: "Number of nodes, pods, and assumed (bound) pods in the scheduler cache.",
      stability: "ALPHA",
      labels: ["type"],
    });
    const refused = this.#registry.gauge({
      name: "scheduler_unschedulable_pods",
      help: "The number of unschedulable pods broken down by plugin name. A pod will increment the gauge for all plugins that caused it to not schedule and so this metric have meaning only when broken down by plugin.",
      stability: "BETA",
      labels: ["plugin", "profile"],
    });
    const working = this.#registry.gauge({
      name: "scheduler_goroutines",
      help: "Number of running goroutines split by the work they do such as binding.",
      stability: "BETA",
      labels: ["operation"],
    });
    this.#registry.beforeExpose(() => {
      for (const [queue, count] of Object.entries(state.counts()))
        pending.with({ queue }).set(count);
      for (const [type, size] of Object.entries(state.cacheSize())) cache.with({ type }).set(size);
      refused.reset();
      for (const [plugin, profile] of state.refusals()) refused.with({ plugin, profile }).inc();
      working.with({ operation: "binding" }).set(state.bindings());
    });
  }

  /** Starts to measure an extension point. */
  time(point: string, profile: string): PhaseTimer {
    const startMs = this.#clock.monotonicMs();
    let ended = false;
    const observe = (status: string): void => {
      if (ended) return;
      ended = true;
      this.#phase(point, status, profile).observe((this.#clock.monotonicMs() - startMs) / 1000);
    };
    return {
      end: (rejection) => observe(statusOf(rejection)),
      [Symbol.dispose]: () => observe("Error"),
    };
  }

  /** Counts an attempt by its duration. */
  attempt(result: AttemptResult, profile: string, startMs: number): void {
    const seconds = (this.#clock.monotonicMs() - startMs) / 1000;
    this.#attempts.with({ result, profile }).inc();
    this.#attemptDuration.with({ result, profile }).observe(seconds);
  }

  algorithm(startMs: number): void {
    this.#algorithmDuration.observe((this.#clock.monotonicMs() - startMs) / 1000);
  }

  /** Counts a scheduled pod. */
  scheduled(attempts: number, sinceMs: number | undefined, flushed: boolean): void {
    this.#podAttempts.observe(attempts);
    if (flushed) this.#afterFlush.inc();
    if (sinceMs === undefined) return;
    const label = attempts >= attemptLimit ? `${attemptLimit}+` : String(attempts);
    this.#sliDuration.with({ attempts: label }).observe((this.#clock.now() - sinceMs) / 1000);
  }

  /** Counts a preemption attempt, and its victims if there are any. */
  countPreemption(victims: number): void {
    this.#preemptionAttempts.inc();
    if (victims > 0) this.#preemptionVictims.observe(victims);
  }

  incoming(queue: string, event: string): void {
    this.#incoming.with({ queue, event }).inc();
    this.#incomingEntities.with({ queue, event, type: "pod" }).inc();
  }

  handled(event: string, startMs: number): void {
    this.#eventDuration.with({ event }).observe((this.#clock.monotonicMs() - startMs) / 1000);
  }

  permitWaited(result: string, startMs: number): void {
    this.#permitWait.with({ result }).observe((this.#clock.monotonicMs() - startMs) / 1000);
  }

  #phase(point: string, status: string, profile: string): Histogram {
    const key = `${point}\0${status}\0${profile}`;
    let series = this.#phases.get(key);
    if (series === undefined) {
      series = this.#phaseDuration.with({ extension_point: point, status, profile });
      this.#phases.set(key, series);
    }
    return series;
  }
}

function statusOf(rejection: Rejection | undefined): string {
  if (rejection === undefined) return "Success";
  if (rejection.pending) return "Pending";
  return rejection.resolvable ? "Unschedulable" : "UnschedulableAndUnresolvable";
}
