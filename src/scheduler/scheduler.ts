import { type PodCondition, pods } from "#/api/core/v1.ts";
import type { Resource } from "#/api/resource.ts";
import type { Client } from "#/client/client.ts";
import type { Informers } from "#/client/informers.ts";
import type { Clock } from "#/std/clock.ts";
import { logger } from "#/std/log.ts";
import type { Random } from "#/std/random.ts";
import { Binder, permit, reserve, unreserve } from "./binding-cycle.ts";
import { BindingsInProgress } from "./bindings-in-progress.ts";
import { ClusterCache } from "./cache/cluster-cache.ts";
import { type PodInfo, podInfoOf, podKey } from "./cache/pod-info.ts";
import type { KubeSchedulerConfiguration } from "./config/configuration.ts";
import { ConfigurationError } from "./config/load-configuration.ts";
import { Explanations, explainRejections, explainScores } from "./explanation.ts";
import { extenderName } from "./extender/ask-extenders.ts";
import { Extender } from "./extender/extender.ts";
import { postJson } from "./extender/post-json.ts";
import { assignedPodDelete } from "./framework/cluster-event.ts";
import type { EventSink, Lister, PluginContext } from "./framework/context.ts";
import { Cycle } from "./framework/cycle.ts";
import { FitError, NoNodesError } from "./framework/fit-error.ts";
import type { PostFilterResult } from "./framework/plugin.ts";
import { buildProfile, type Profile } from "./framework/profile.ts";
import type { Rejection } from "./framework/rejection.ts";
import type { SchedulerMetrics } from "./metrics.ts";
import { pluginMaker } from "./plugins/index.ts";
import { patchPodStatus } from "./pod-status.ts";
import type { QueuedPod } from "./queue/queued-pod.ts";
import { rejectors } from "./queue/queued-pod.ts";
import { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { type Placement, PodPlacer } from "./schedule-pod.ts";
import { TurnBudget } from "./turn-budget.ts";
import { podInformerOptions, watchCluster } from "./watch-cluster.ts";
import { watchedResources } from "./watched-resources.ts";

const log = logger("scheduler");

export interface SchedulerOptions {
  readonly config: KubeSchedulerConfiguration;
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: SchedulerMetrics;
  readonly record: EventSink;
  readonly maxUnschedulableMs?: number;
}

/** Events hold no longer notes. */
const maxNoteBytes = 1024;

/**
 * Takes pods from the queue one by one, chooses a node for each, and binds them in the background.
 *
 * Upstream: kubernetes/pkg/scheduler/scheduler.go, schedule_one.go.
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
  readonly #budget: TurnBudget;
  #hasSynced = false;

  /** Throws ConfigurationError. */
  constructor(options: SchedulerOptions) {
    const { config, client, clock, random, metrics } = options;
    this.#options = options;
    this.#bindings = new BindingsInProgress(clock);
    const extenders = (config.extenders ?? []).map((one) => new Extender(one, postJson(one)));
    const context = this.#pluginContext();
    const make = pluginMaker({ context, extenders });
    const profiles = withIgnoredResources(config).profiles.map((one) => buildProfile(one, make));
    this.#profiles = new Map(profiles.map((profile) => [profile.name, profile]));
    this.#queue = this.#openQueue(profiles, extenders);
    this.#budget = new TurnBudget(clock);
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

  /** Whether everything that the API server had at the beginning is known. */
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
        log.error(error, "scheduling a pod broke off", { pod: podKey(queued.info.pod) });
      });
      if (this.#budget.isSpent) await this.#budget.yield();
    }
  }

  async #scheduleOne(queued: QueuedPod): Promise<void> {
    const { pod, uid } = queued.info;
    const profile = this.#profiles.get(pod.spec.schedulerName ?? "");
    if (profile === undefined || this.#skips(queued.info)) {
      this.#queue.done(uid);
      return;
    }
    const { clock, metrics } = this.#options;
    const startMs = clock.monotonicMs();
    const cycle = new Cycle(queued.info, this.#cache.snapshot());
    let placement: Placement;
    try {
      placement = await this.#placer.place(profile, cycle);
      metrics.algorithm(startMs);
    } catch (error) {
      const nominated = await this.#postFilter(profile, cycle, error);
      metrics.algorithm(startMs);
      this.#fail(queued, profile, cycle, error, nominated, startMs);
      return;
    }
    this.#commit(queued, profile, cycle, placement, startMs);
  }

  /** Pods that are being deleted or have a node already need none. */
  #skips({ pod, uid, namespace, name, terminating }: PodInfo): boolean {
    if (!terminating) return this.#cache.isAssumed(uid);
    const note = `skip schedule deleting pod: ${namespace}/${name}`;
    this.#recordFailure(pod, note);
    return true;
  }

  /** Tries to make room for a pod that fits nowhere; resolves with the node promised to it, "" to take one back. */
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
        log.error(failure, "a PostFilter plugin failed", { plugin: plugin.name });
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

  /** Takes the pod as placed, asks the plugins once more, and binds it in the background. */
  #commit(
    queued: QueuedPod,
    profile: Profile,
    cycle: Cycle,
    placement: Placement,
    startMs: number,
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
      this.#fail(queued, profile, cycle, error, "", startMs);
      return;
    }
    if (cycle.podsToActivate.size > 0) this.#queue.activate(cycle.podsToActivate.values());
    this.#explain(queued, "scheduled", "", placement);
    const permission =
      waits.size > 0 ? this.#bindings.waitForPermission(info.uid, waits) : undefined;
    this.#bind(queued, profile, cycle, nodeName, permission, startMs).catch((error: unknown) => {
      log.error(error, "binding a pod broke off", { pod: podKey(info.pod) });
    });
  }

  async #bind(
    queued: QueuedPod,
    profile: Profile,
    cycle: Cycle,
    nodeName: string,
    permission: Promise<Rejection | undefined> | undefined,
    startMs: number,
  ): Promise<void> {
    const { metrics } = this.#options;
    const { uid, pod } = queued.info;
    try {
      await this.#binder.bind(profile, cycle, nodeName, permission);
      metrics.attempt("scheduled", profile.name, startMs);
      metrics.scheduled(queued.attempts, queued.initialAttemptMs, queued.flushed);
      log.v(2, "successfully bound pod to node", () => ({ pod: podKey(pod), node: nodeName }));
    } catch (error) {
      unreserve(profile, cycle, nodeName);
      const assumed = this.#cache.findPod(uid)?.pod ?? pod;
      this.#cache.forget(uid);
      const isRefused = error instanceof FitError;
      // The room that the pod had is free again; it is no help to the pod itself if it was refused.
      if (!isRefused) this.#queue.moveAll(assignedPodDelete, assumed, undefined);
      this.#fail(queued, profile, cycle, error, "", startMs);
      if (isRefused) {
        this.#queue.moveAll(assignedPodDelete, assumed, undefined, (other) => other.uid !== uid);
      }
    }
  }

  /** Puts a pod back into the queue and tells why. */
  #fail(
    queued: QueuedPod,
    profile: Profile,
    _cycle: Cycle,
    error: unknown,
    nominated: string | undefined,
    startMs: number,
  ): void {
    const { metrics, informers } = this.#options;
    const { pod, uid } = queued.info;
    const isRefused = error instanceof FitError || error instanceof NoNodesError;
    const message = fullMessage(error);
    metrics.attempt(isRefused ? "unschedulable" : "error", profile.name, startMs);
    queued.unschedulablePlugins = new Set(
      error instanceof FitError ? error.diagnosis.unschedulablePlugins : [],
    );
    queued.pendingPlugins = new Set(
      error instanceof FitError ? error.diagnosis.pendingPlugins : [],
    );
    if (isRefused) log.v(2, "unable to schedule pod; waiting", { pod: podKey(pod), message });
    else log.error(error, "error scheduling pod; retrying", { pod: podKey(pod) });
    this.#explain(queued, isRefused ? "unschedulable" : "error", message, error);

    const { store } = informers.informer(pods, podInformerOptions);
    const now = store.get(pod.metadata.namespace, pod.metadata.name ?? "");
    if (now === undefined || now.spec.nodeName || now.metadata.uid !== uid) {
      this.#queue.done(uid);
      if (now === undefined || now.metadata.uid !== uid) return;
    } else {
      if (now !== pod) queued.info = podInfoOf(now);
      this.#queue.addUnschedulable(queued);
    }
    if (!now.spec.nodeName) this.#queue.nominated.set(queued.info, nominated);
    this.#recordFailure(now, message);
    this.#report(queued.info, isRefused ? "Unschedulable" : "SchedulerError", message, nominated);
  }

  #report({ pod }: PodInfo, reason: string, message: string, nominated: string | undefined): void {
    const { client, clock } = this.#options;
    const { generation } = pod.metadata;
    const condition: Omit<PodCondition, "lastTransitionTime"> = {
      type: "PodScheduled",
      status: "False",
      reason,
      message,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
    const nominatedNodeName = nominated === "" ? null : nominated;
    const change = { condition, ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }) };
    patchPodStatus({ client, clock }, pod, change).catch((error: unknown) => {
      log.error(error, "error updating pod", { pod: podKey(pod) });
    });
  }

  #recordFailure(pod: PodInfo["pod"], message: string): void {
    this.#options.record({
      regarding: pod,
      type: "Warning",
      reason: "FailedScheduling",
      action: "Scheduling",
      note: truncateNote(message),
    });
  }

  #explain(
    queued: QueuedPod,
    result: "scheduled" | "unschedulable" | "error",
    message: string,
    outcome: Placement | unknown,
  ): void {
    const placement = result === "scheduled" ? (outcome as Placement) : undefined;
    const diagnosis =
      placement?.diagnosis ?? (outcome instanceof FitError ? outcome.diagnosis : undefined);
    this.explanations.set({
      pod: podKey(queued.info.pod),
      uid: queued.info.uid,
      attempt: queued.attempts,
      timeMs: this.#options.clock.now(),
      result,
      node: placement?.node.name,
      message,
      rejected: diagnosis ? explainRejections(diagnosis) : [],
      scores: explainScores(placement?.table),
    });
  }

  #pluginContext(): PluginContext {
    const { clock, random, client, informers, record, metrics } = this.#options;
    const listers = new Map<Resource<unknown>, Lister<unknown>>();
    const open = <T>(resource: Resource<T>): Lister<T> =>
      resource === (pods as Resource<unknown>)
        ? informers.informer(resource, podInformerOptions).store
        : informers.informer(resource).store;
    return {
      clock,
      random,
      client,
      record,
      lister<T>(resource: Resource<T>): Lister<T> {
        const found = listers.get(resource);
        // Listers are kept under their own resource.
        if (found) return found as Lister<T>;
        const opened = open(resource);
        listers.set(resource, opened);
        return opened;
      },
      giveWay: async () => {
        if (this.#budget.isSpent) await this.#budget.yield();
      },
      nominatedOn: (nodeName) => this.#queue.nominated.onNode(nodeName),
      countPreemption: (victims) => metrics.countPreemption(victims),
      activate: (list) => this.#queue.activate(list),
      cancelBinding: (uid, plugin, message) => this.#bindings.cancel(uid, plugin, message),
    };
  }

  #openQueue(profiles: readonly Profile[], extenders: readonly Extender[]): SchedulingQueue {
    const { config, clock, metrics, maxUnschedulableMs } = this.#options;
    // Extenders can't say what they wait for, so every event is for their pods.
    const asPlugins = extenders.length > 0 ? [{ name: extenderName }] : [];
    const byName = new Map(profiles.map(({ name, plugins }) => [name, [...plugins, ...asPlugins]]));
    const less = profiles[0]?.queueSort.less;
    if (less === undefined) throw new ConfigurationError("no queue sort plugin is enabled");
    return new SchedulingQueue({
      clock,
      plugins: (schedulerName) => byName.get(schedulerName) ?? [],
      allPlugins: [...byName.values()].flat(),
      less,
      backoff: {
        initialMs: config.podInitialBackoffSeconds * 1000,
        maxMs: config.podMaxBackoffSeconds * 1000,
      },
      ...(maxUnschedulableMs === undefined ? {} : { maxUnschedulableMs }),
      onIncoming: (room, event) => metrics.incoming(room, event),
    });
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

/** Resources that extenders look after are not for NodeResourcesFit to count. */
function withIgnoredResources(config: KubeSchedulerConfiguration): KubeSchedulerConfiguration {
  const ignored = (config.extenders ?? []).flatMap(({ managedResources = [] }) =>
    managedResources.filter((one) => one.ignoredByScheduler).map(({ name }) => name),
  );
  if (ignored.length === 0) return config;
  const profiles = config.profiles.map((profile) => ({
    ...profile,
    pluginConfig: profile.pluginConfig.map((one) => {
      if (one.name !== "NodeResourcesFit") return one;
      const { ignoredResources = [] } = (one.args ?? {}) as { ignoredResources?: string[] };
      return { ...one, args: { ...one.args, ignoredResources: [...ignoredResources, ...ignored] } };
    }),
  }));
  return { ...config, profiles };
}

function assumedOn(info: PodInfo, nodeName: string): PodInfo {
  const { pod } = info;
  return { ...info, pod: { ...pod, spec: { ...pod.spec, nodeName } } };
}

/** A fit error's text is made anew, since PostFilter has added to its diagnosis. */
function fullMessage(error: unknown): string {
  if (error instanceof FitError) return new FitError(error.diagnosis).message;
  return error instanceof Error ? error.message : String(error);
}

/** A note cut to what events hold. */
export function truncateNote(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= maxNoteBytes) return note;
  const suffix = " ...";
  return bytes.subarray(0, maxNoteBytes - suffix.length).toString() + suffix;
}
