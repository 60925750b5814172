import type { Client } from "#/client/client.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { noSteps, type StepSink } from "#/client/journey/recorder.ts";
import type { Random } from "#/std/base/random.ts";
import { logger } from "#/std/log/log.ts";
import { TurnBudget } from "#/std/memory/turn-budget.ts";
import type { Clock } from "#/std/time/clock.ts";
import { enterWork } from "#/std/time/turn-watch.ts";
import { Binder, permit, reserve, unreserve } from "./binding-cycle.ts";
import { BindingsInProgress } from "./bindings-in-progress.ts";
import { ClusterCache } from "./cache/cluster-cache.ts";
import { type PodInfo, podKey } from "./cache/pod-info.ts";
import type { KubeSchedulerConfiguration } from "./config/configuration.ts";
import { Explanations, explainAttempt } from "./explanation.ts";
import { Extender } from "./extender/extender.ts";
import { postJson } from "./extender/post-json.ts";
import { FailureHandler } from "./failure-handler.ts";
import { assignedPodDelete } from "./framework/cluster-event.ts";
import type { EventSink } from "./framework/context.ts";
import { Cycle } from "./framework/cycle.ts";
import { FitError } from "./framework/fit-error.ts";
import type { PostFilterResult } from "./framework/plugin.ts";
import { buildProfile, type Profile } from "./framework/profile.ts";
import { type QueuedPod, rejectors } from "./framework/queued-pod.ts";
import type { Rejection } from "./framework/rejection.ts";
import type { SchedulerMetrics } from "./metrics.ts";
import { openQueue, withIgnoredResources } from "./open-queue.ts";
import { openPluginContext } from "./plugin-context.ts";
import { pluginMaker } from "./plugins/index.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { type Placement, PodPlacer } from "./schedule-pod.ts";
import { SchedulingSteps } from "./scheduling-steps.ts";
import { watchCluster } from "./watch-cluster.ts";
import { watchedResources } from "./watched-resources.ts";

const log = logger("scheduler");

interface SchedulerOptions {
  readonly config: KubeSchedulerConfiguration;
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: SchedulerMetrics;
  readonly record: EventSink;
  readonly maxUnschedulableMs?: number;
  /** Where it reports what it does; default nowhere. */
  readonly steps?: StepSink;
}

/** The start of an attempt: on the monotonic clock, and as the time of steps (ms). */
interface Started {
  readonly startMs: number;
  readonly fromMs: number;
}

/**
 * Takes pods from the queue one by one, chooses a node for each, and binds them in the background.
 *
 * Upstream: pkg/scheduler/scheduler.go, schedule_one.go.
 */
export class Scheduler {
  readonly explanations = new Explanations();
  readonly #options: SchedulerOptions;
  readonly #cache = new ClusterCache();
  readonly #queue: SchedulingQueue;
  readonly #bindings: BindingsInProgress;
  readonly #profiles: ReadonlyMap<string, Profile>;
  readonly #placer: PodPlacer;
  readonly #binder: Binder;
  readonly #failures: FailureHandler;
  readonly #budget: TurnBudget;
  readonly #steps: SchedulingSteps;
  #hasSynced = false;

  /** Throws ConfigurationError. */
  constructor(options: SchedulerOptions) {
    const { config, client, clock, random, metrics } = options;
    this.#options = options;
    this.#steps = new SchedulingSteps(options.steps ?? noSteps);
    this.#bindings = new BindingsInProgress(clock);
    this.#budget = new TurnBudget(clock);
    const extenders = (config.extenders ?? []).map((one) => new Extender(one, postJson(one)));
    const context = openPluginContext({
      ...options,
      budget: this.#budget,
      bindings: this.#bindings,
      queue: () => this.#queue,
    });
    const make = pluginMaker({ context, extenders });
    const profiles = withIgnoredResources(config).profiles.map((one) => buildProfile(one, make));
    this.#profiles = new Map(profiles.map((profile) => [profile.name, profile]));
    this.#queue = openQueue(profiles, options);
    const reports = { explanations: this.explanations, steps: this.#steps };
    this.#failures = new FailureHandler({ ...options, queue: this.#queue, ...reports });
    this.#placer = new PodPlacer({
      percentageOfNodesToScore: config.percentageOfNodesToScore,
      extenders,
      nominations: (nodeName) => this.#queue.nominated.onNode(nodeName),
      random,
      budget: this.#budget,
      time: (point, profile) => metrics.time(point, profile),
    });
    this.#binder = new Binder({
      client,
      clock,
      extenders,
      bindings: this.#bindings,
      metrics,
      record: options.record,
      onCommitted: (uid) => this.#queue.done(uid),
    });
    this.#watch();
  }

  /** True once the informers have synced. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Schedules until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#options.informers.synced();
    this.#hasSynced = true;
    this.#queue.run(signal);
    this.#budget.restart();
    while (!signal.aborted) {
      const queued = this.#queue.pop();
      if (queued === undefined) {
        await this.#queue.whenReady();
        this.#budget.restart();
        continue;
      }
      await this.#scheduleOne(queued).catch((error: unknown) => {
        this.#queue.done(queued.info.uid);
        log.error(error, "failed to schedule pod", { pod: podKey(queued.info.pod) });
      });
      if (this.#budget.isSpent) await this.#budget.yield();
    }
  }

  async #scheduleOne(queued: QueuedPod): Promise<void> {
    const { pod, uid } = queued.info;
    enterWork({ workKind: "scheduler", describeWork: () => ({ pod: podKey(pod) }) });
    const profile = this.#profiles.get(pod.spec.schedulerName ?? "");
    if (profile === undefined || this.#skips(queued.info)) {
      this.#queue.done(uid);
      return;
    }
    const { clock, metrics } = this.#options;
    const started = { startMs: clock.monotonicMs(), fromMs: this.#steps.now() };
    const { startMs } = started;
    const cycle = new Cycle(queued.info, this.#cache.snapshot());
    let placement: Placement;
    try {
      placement = await this.#placer.place(profile, cycle);
      metrics.algorithm(startMs);
    } catch (error) {
      const nominated = await this.#postFilter(profile, cycle, error);
      metrics.algorithm(startMs);
      this.#failures.handle(queued, { profile: profile.name, error, nominated, ...started });
      return;
    }
    this.#commit(queued, profile, cycle, placement, started);
  }

  /** Pods that are being deleted or have a node already are skipped. */
  #skips({ pod, uid, namespace, name, terminating }: PodInfo): boolean {
    if (!terminating) return this.#cache.isAssumed(uid);
    const note = `skip schedule deleting pod: ${namespace}/${name}`;
    this.#failures.recordReason(pod, note);
    return true;
  }

  /** Runs PostFilter for a pod that fits nowhere; resolves with the nominated node, "" to clear a nomination. */
  async #postFilter(profile: Profile, cycle: Cycle, error: unknown): Promise<string | undefined> {
    if (!(error instanceof FitError) || profile.postFilter.length === 0) return "";
    const { diagnosis } = error;
    using timer = this.#options.metrics.time("PostFilter", profile.name);
    const messages: string[] = [];
    let nominated: string | undefined;
    for (const plugin of profile.postFilter) {
      let result: PostFilterResult | undefined;
      try {
        result = await plugin.postFilter?.(cycle, diagnosis);
      } catch (failure) {
        log.error(failure, "failed to run PostFilter plugin", { plugin: plugin.name });
        diagnosis.postFilterMessage = failure instanceof Error ? failure.message : String(failure);
        return undefined;
      }
      if (result === undefined) continue;
      nominated = result.nominatedNode ?? nominated;
      if (result.success) {
        messages.length = 0;
        messages.push(result.message);
        break;
      }
      if (result.message !== "") messages.push(result.message);
    }
    timer.end(undefined);
    diagnosis.postFilterMessage = messages.join(", ");
    return nominated;
  }

  /** Assumes the pod on its node, runs Reserve and Permit, and binds it in the background. */
  #commit(
    queued: QueuedPod,
    profile: Profile,
    cycle: Cycle,
    placement: Placement,
    started: Started,
  ): void {
    const { info } = queued;
    const nodeName = placement.node.name;
    let waits: ReadonlyMap<string, number>;
    try {
      this.#cache.assume(assumedOn(info, nodeName), nodeName);
      this.#queue.nominated.delete(info.uid);
      reserve(profile, cycle, nodeName);
      waits = permit(profile, cycle, nodeName);
    } catch (error) {
      unreserve(profile, cycle, nodeName);
      this.#cache.forget(info.uid);
      this.#failures.handle(queued, { profile: profile.name, error, nominated: "", ...started });
      return;
    }
    if (cycle.podsToActivate.size > 0) this.#queue.activate(cycle.podsToActivate.values());
    const timeMs = this.#options.clock.now();
    const outcome = { result: "scheduled", message: "", node: nodeName, timeMs } as const;
    const explanation = explainAttempt(queued, { ...placement, ...outcome });
    this.explanations.set(explanation);
    this.#steps.attempted(queued, explanation, started.fromMs);
    const permission =
      waits.size > 0 ? this.#bindings.waitForPermission(info.uid, waits) : undefined;
    this.#bind(queued, profile, cycle, nodeName, permission, started).catch((error: unknown) => {
      log.error(error, "failed to bind pod", { pod: podKey(info.pod) });
    });
  }

  async #bind(
    queued: QueuedPod,
    profile: Profile,
    cycle: Cycle,
    nodeName: string,
    permission: Promise<Rejection | undefined> | undefined,
    started: Started,
  ): Promise<void> {
    const { metrics } = this.#options;
    const { uid, pod } = queued.info;
    const bindingMs = this.#steps.now();
    try {
      await this.#binder.bind(profile, cycle, nodeName, permission);
      this.#steps.bound(queued, nodeName, bindingMs);
      metrics.attempt("scheduled", profile.name, started.startMs);
      metrics.scheduled(queued.attempts, queued.initialAttemptMs, queued.flushed);
      log.v(2, "successfully bound pod to node", () => ({ pod: podKey(pod), node: nodeName }));
    } catch (error) {
      unreserve(profile, cycle, nodeName);
      const assumed = this.#cache.findPod(uid)?.pod ?? pod;
      this.#cache.forget(uid);
      const isRefused = error instanceof FitError;
      // The resources of the pod are free again; this does not help the pod itself if it was rejected.
      if (!isRefused) this.#queue.moveAll(assignedPodDelete, assumed, undefined);
      this.#failures.handle(queued, { profile: profile.name, error, nominated: "", ...started });
      if (isRefused) {
        this.#queue.moveAll(assignedPodDelete, assumed, undefined, (other) => other.uid !== uid);
      }
    }
  }

  #watch(): void {
    const { informers, metrics, clock } = this.#options;
    const options = {
      cache: this.#cache,
      queue: this.#queue,
      bindings: this.#bindings,
      metrics,
      clock,
      schedules: (name: string) => this.#profiles.has(name),
    };
    const plugins = [...this.#profiles.values()].flatMap((profile) => profile.plugins);
    watchCluster(informers, options, watchedResources(plugins));
    const queue = this.#queue;
    metrics.watch({
      counts: () => queue.counts(),
      cacheSize: () => ({
        nodes: this.#cache.nodeCount,
        pods: this.#cache.podCount,
        assumed_pods: this.#cache.assumedCount,
      }),
      *refusals() {
        for (const queued of queue.pods()) {
          const profile = queued.info.pod.spec.schedulerName ?? "";
          for (const plugin of rejectors(queued)) yield [plugin, profile] as const;
        }
      },
      inFlightEvents: () => queue.inFlightEvents,
      bindings: () => this.#bindings.size,
    });
  }
}

function assumedOn(info: PodInfo, nodeName: string): PodInfo {
  const { pod } = info;
  return { ...info, pod: { ...pod, spec: { ...pod.spec, nodeName } } };
}
