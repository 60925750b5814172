import type { Pod } from "#/api/core/v1.ts";
import { runInSlices } from "#/std/async/slices.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type PodInfo, podInfoOf, podKey } from "../cache/pod-info.ts";
import { podChanges } from "../framework/changes.ts";
import {
  type ClusterEvent,
  forceActivate,
  isOfInterest,
  isWildcard,
  unschedulableTimeout,
  unscheduledPodAdd,
} from "../framework/cluster-event.ts";
import type { Plugin } from "../framework/plugin.ts";
import { newQueuedPod, nextOrder, type QueuedPod, wasRejected } from "../framework/queued-pod.ts";
import {
  alignToWindow,
  type BackoffLimits,
  isBackingOff,
  orderingWindowMs,
} from "./backoff-times.ts";
import { InFlight, type ObservedEvent } from "./in-flight.ts";
import { NominatedPods } from "./nominated-pods.ts";
import { PendingPods, type QueueName } from "./pending-pods.ts";
import { interestedPlugins, requeueStrategy, type Strategy, strongestStrategy } from "./requeue.ts";

const log = logger("scheduler");

interface SchedulingQueueOptions {
  readonly clock: Clock;
  /** All enabled plugins of a profile, by the scheduler name of pods. */
  readonly plugins: (schedulerName: string) => readonly Plugin[];
  /** Every plugin of every profile, to skip events that no plugin registered for. */
  readonly allPlugins: readonly Plugin[];
  readonly less: (a: QueuedPod, b: QueuedPod) => boolean;
  readonly backoff: BackoffLimits;
  /** Limit of the time (ms) that a pod stays unschedulable before it is retried without an event; default 5 minutes. */
  readonly maxUnschedulableMs?: number;
  /** Called for every move of a pod into a queue, for metrics. */
  readonly onIncoming?: (queueName: QueueName, event: string) => void;
}

/** Limit of events whose moves go on in later turns (count): above it, moves are made at once, which slows the events. */
const maxMovesLater = 64;
/** Interval (ms) of the checks for pods that have been unschedulable too long. */
const flushIntervalMs = 30_000;
const defaultMaxUnschedulableMs = 5 * 60_000;

/**
 * The pending pods: active ones are tried next, those in backoff later, unschedulable ones after an event that
 * helps them. A pod is in one of these queues, or in flight.
 *
 * Upstream: pkg/scheduler/backend/queue/scheduling_queue.go.
 */
export class SchedulingQueue {
  readonly nominated = new NominatedPods();
  readonly #options: SchedulingQueueOptions;
  readonly #pending: PendingPods;
  readonly #inFlight = new InFlight();
  #wake: (() => void) | undefined;
  /** Number of events whose moves go on in later turns. */
  #movesLater = 0;

  constructor(options: SchedulingQueueOptions) {
    this.#options = options;
    this.#pending = new PendingPods(options.less, options.backoff);
  }

  /** Number of pods in each queue. */
  counts(): { active: number; backoff: number; unschedulable: number; gated: number } {
    return this.#pending.counts();
  }

  /** All pending pods, in no order. */
  pods(): Iterable<QueuedPod> {
    return this.#pending.values();
  }

  get inFlightPods(): number {
    return this.#inFlight.podCount;
  }

  get inFlightEvents(): number {
    return this.#inFlight.eventCount;
  }

  /** The queue that a pod is in, for explanations. */
  findRoom(pod: Pod): "active" | "backoff" | "unschedulable" | undefined {
    return this.#pending.find(podKey(pod))?.queueName;
  }

  /** Moves pods whose backoff has ended or that have been unschedulable too long, until the signal aborts. */
  run(signal: AbortSignal): void {
    const { clock } = this.#options;
    const now = clock.now();
    const toWindow = alignToWindow(now + orderingWindowMs) - now;
    const stops: Disposable[] = [
      clock.every(flushIntervalMs, () => this.flushUnschedulable(), { keepAlive: false }),
      clock.setTimer(
        toWindow,
        () => {
          this.flushBackoff();
          stops.push(
            clock.every(orderingWindowMs, () => this.flushBackoff(), { keepAlive: false }),
          );
        },
        { keepAlive: false },
      ),
    ];
    signal.addEventListener("abort", () => {
      for (const stop of stops) stop[Symbol.dispose]();
      this.#signalReady();
    });
  }

  /** Adds a new pod. */
  add(pod: Pod): void {
    const queued = newQueuedPod(pod, this.#options.clock.now());
    this.nominated.set(queued.info);
    this.#toActive(queued, unscheduledPodAdd.label);
  }

  /** The next pod to try, if any: the first active one, else the first in backoff. */
  pop(): QueuedPod | undefined {
    const queued = this.#pending.pop();
    if (queued === undefined) return undefined;
    queued.attempts++;
    this.#inFlight.start(queued.info.uid);
    return queued;
  }

  /** Resolves when there may be a pod to pop. */
  whenReady(): Promise<void> {
    if (this.#pending.hasReady) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Ends the flight of a popped pod that is not returned to the queue. */
  done(uid: string): void {
    this.#inFlight.done(uid);
  }

  /** Updates a pod. */
  update(before: Pod, after: Pod): void {
    const events = podChanges(before, after, true);
    if (this.#inFlight.has(after.metadata.uid ?? "")) {
      for (const event of events) this.#inFlight.observe({ event, before, after });
      return;
    }
    const found = this.#pending.find(podKey(before));
    if (found === undefined) {
      this.add(after);
      return;
    }
    const { queued, queueName } = found;
    const old = queued.info;
    queued.info = podInfoOf(after);
    this.nominated.update(old, queued.info);
    if (queueName !== "unschedulable") {
      this.#pending.reorder(queued, queueName);
      return;
    }
    for (const event of events) {
      const strategy = this.#strategy(queued, event, before, after);
      if (this.#requeue(queued, strategy, event.label) !== "unschedulable") return;
    }
  }

  delete(pod: Pod): void {
    this.nominated.delete(pod.metadata.uid ?? "");
    this.#pending.delete(podKey(pod));
  }

  /**
   * Returns a popped pod that could not be placed, with the plugins that rejected it. Events while it was in flight may
   * make it active again at once.
   */
  addUnschedulable(queued: QueuedPod): void {
    const { uid } = queued.info;
    if (this.#pending.find(podKey(queued.info.pod)) !== undefined) {
      this.#inFlight.done(uid);
      log.v(2, "pod is already in the queue", { pod: podKey(queued.info.pod) });
      return;
    }
    if (wasRejected(queued)) {
      queued.unschedulableCount++;
      queued.errorCount = 0;
    } else {
      queued.errorCount++;
    }
    queued.timestampMs = this.#options.clock.now();
    queued.order = nextOrder();
    queued.backoffUntilMs = undefined;
    queued.flushed = false;
    const strategy = this.#strategyForReturning(queued);
    this.#inFlight.done(uid);
    this.#requeue(queued, strategy, "ScheduleAttemptFailure");
  }

  /**
   * Moves the pods that an event may help; preCheck excludes pods beforehand. Of very many pods, some are moved in later
   * turns: an attempt that begins meanwhile sees the cluster after the event.
   */
  moveAll(
    event: ClusterEvent,
    before: unknown,
    after: unknown,
    preCheck?: (pod: PodInfo) => boolean,
  ): void {
    if (interestedPlugins(this.#options.allPlugins, event).length === 0) return;
    const observed = { event, before, after };
    this.#inFlight.observe(observed);
    this.#inSlices(this.#moves(observed, preCheck));
  }

  *#moves(observed: ObservedEvent, preCheck?: (pod: PodInfo) => boolean): Generator<undefined> {
    const { event } = observed;
    const interested = new Map<string, readonly Plugin[]>();
    for (const queued of this.#unschedulable()) {
      yield;
      if (preCheck?.(queued.info) === false) continue;
      const profile = queued.info.pod.spec.schedulerName ?? "";
      let plugins = interested.get(profile);
      if (plugins === undefined) {
        plugins = interestedPlugins(this.#options.plugins(profile), event);
        interested.set(profile, plugins);
      }
      this.#move(queued, observed, plugins);
    }
  }

  /** The pods that are unschedulable now, each unless it has left that queue when it is reached. */
  *#unschedulable(): Generator<QueuedPod> {
    for (const queued of this.#pending.unschedulable()) {
      const found = this.#pending.find(podKey(queued.info.pod));
      if (found?.queued === queued && found.queueName === "unschedulable") yield queued;
    }
  }

  /** Runs moves at once if they take little time. */
  #inSlices(moves: Generator<undefined>): void {
    if (this.#movesLater >= maxMovesLater) {
      for (const _ of moves);
      return;
    }
    const later = runInSlices(moves, this.#options.clock);
    if (!later) return;
    this.#movesLater++;
    void later
      .catch((error: unknown) => log.error(error, "failed to move pods"))
      .finally(() => this.#movesLater--);
  }

  /** Moves pods to the active queue without calling hints; an in-flight pod becomes active when it returns. */
  activate(pods: Iterable<PodInfo>): void {
    for (const { pod, uid } of pods) {
      const found = this.#pending.find(podKey(pod));
      if (found && found.queueName !== "active") {
        this.#pending.delete(podKey(pod));
        this.#toActive(found.queued, forceActivate.label, found.queueName === "backoff");
      } else if (!found && this.#inFlight.has(uid)) {
        this.#inFlight.observe({ event: forceActivate, before: undefined, after: pod });
      }
    }
  }

  /** Moves the pods whose backoff has ended. */
  flushBackoff(): void {
    for (const queued of this.#pending.takeBackedOff(this.#options.clock.now())) {
      this.#toActive(queued, "BackoffComplete", true);
    }
  }

  /** Moves the pods that have been unschedulable too long. */
  flushUnschedulable(): void {
    this.#inSlices(this.#flushes());
  }

  *#flushes(): Generator<undefined> {
    const now = this.#options.clock.now();
    const limit = this.#options.maxUnschedulableMs ?? defaultMaxUnschedulableMs;
    for (const queued of this.#unschedulable()) {
      yield;
      if (now - Math.max(queued.timestampMs, queued.flushedMs) <= limit) continue;
      queued.flushed = true;
      queued.flushedMs = now;
      const observed = { event: unschedulableTimeout, before: undefined, after: undefined };
      this.#move(queued, observed, this.#plugins(queued.info));
    }
  }

  #move(queued: QueuedPod, observed: ObservedEvent, plugins: readonly Plugin[]): void {
    const { event } = observed;
    if (queued.gatedBy !== "" && !isWildcard(event) && !this.#mayOpenGate(queued, event)) return;
    const strategy = requeueStrategy(queued, observed, plugins);
    if (strategy !== "skip") this.#requeue(queued, strategy, event.label);
  }

  #mayOpenGate({ gatedBy, info }: QueuedPod, event: ClusterEvent): boolean {
    const plugin = this.#plugins(info).find(({ name }) => name === gatedBy);
    return plugin?.requeueOn?.some((interest) => isOfInterest(interest, event)) === true;
  }

  #strategy(queued: QueuedPod, event: ClusterEvent, before: unknown, after: unknown): Strategy {
    return requeueStrategy(queued, { event, before, after }, this.#plugins(queued.info));
  }

  #strategyForReturning(queued: QueuedPod): Strategy {
    if (!wasRejected(queued)) return "after-backoff";
    const events = this.#inFlight.eventsSince(queued.info.uid);
    if (events === undefined) return "after-backoff";
    return strongestStrategy(queued, events, this.#plugins(queued.info));
  }

  #requeue(queued: QueuedPod, strategy: Strategy, event: string): string {
    const { clock, backoff } = this.#options;
    if (strategy === "skip") {
      this.#toUnschedulable(queued, event);
      return "unschedulable";
    }
    if (strategy === "after-backoff" && isBackingOff(queued, backoff, clock.now())) {
      return this.#toBackoff(queued, event);
    }
    return this.#toActive(queued, event);
  }

  #toActive(queued: QueuedPod, event: string, preEnqueued = false): string {
    if (!preEnqueued && this.#isGated(queued)) {
      this.#toUnschedulable(queued, event);
      return "unschedulable";
    }
    queued.initialAttemptMs ??= this.#options.clock.now();
    this.#enter(queued, "active", event);
    this.#signalReady();
    return "active";
  }

  #toBackoff(queued: QueuedPod, event: string): string {
    if (this.#isGated(queued)) {
      this.#toUnschedulable(queued, event);
      return "unschedulable";
    }
    this.#enter(queued, "backoff", event);
    this.#signalReady();
    return "backoff";
  }

  #toUnschedulable(queued: QueuedPod, event: string): void {
    if (queued.gatedBy !== "") queued.flushed = false;
    this.#enter(queued, "unschedulable", event);
  }

  #enter(queued: QueuedPod, queueName: QueueName, event: string): void {
    queued.queueName = queueName;
    queued.queueEvent = event;
    const from = this.#pending.put(queued, queueName);
    if (from !== queueName) this.#options.onIncoming?.(queueName, event);
  }

  #isGated(queued: QueuedPod): boolean {
    for (const plugin of this.#plugins(queued.info)) {
      const rejection = plugin.preEnqueue?.(queued.info.pod);
      if (rejection === undefined) continue;
      queued.gatedBy = plugin.name;
      queued.unschedulablePlugins = new Set([...queued.unschedulablePlugins, plugin.name]);
      return true;
    }
    queued.gatedBy = "";
    return false;
  }

  #plugins({ pod }: PodInfo): readonly Plugin[] {
    return this.#options.plugins(pod.spec.schedulerName ?? "");
  }

  #signalReady(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
