/** Upstream: pkg/kubelet/eviction/eviction_manager.go. */
import type { Pod } from "#/api/core/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import { isCritical } from "../cgroups/oom-score.ts";
import type { NodeEvents } from "../node/node-events.ts";
import type { PodEvents } from "../state/pod-events.ts";
import type { Eviction, EvictPod } from "../state/pod-services.ts";
import type { Pressure } from "../state/pressure.ts";
import type { StoredValue } from "../state/stored-value.ts";
import type { Threshold } from "../state/thresholds.ts";
import type { PodSummary } from "../stats/stats-summary.ts";
import {
  calm,
  type EvictionState,
  evictionStep,
  isCrossed,
  type Observations,
  resourceOf,
} from "./eviction-state.ts";
import { type LocalUsage, limitsLocalStorage, localStorageViolation } from "./local-storage.ts";
import { evictionMessage, rankPods } from "./rank-pods.ts";

interface NodeEvictionOptions {
  readonly clock: Clock;
  readonly thresholds: readonly Threshold[];
  readonly transitionMs: number;
  /** Limit of the grace period of soft evictions (seconds). */
  readonly maxGracePeriodSeconds: number;
  /** Reads the signals of the node. */
  observe(): Promise<Observations>;
  /** The usage of pods; read only when one has to be evicted. */
  podStats(): Promise<readonly PodSummary[]>;
  /** The local storage usage of pods with limits of it. */
  localUsage(pod: Pod, stats: PodSummary | undefined): Promise<LocalUsage>;
  /** Pods that run on this node. */
  activePods(): readonly Pod[];
  /** Frees resources without ending pods; the next run checks whether that was enough. */
  reclaim(resource: string): Promise<void>;
  readonly evict: EvictPod;
  readonly nodeEvents: Pick<NodeEvents, "record">;
  readonly podEvents: PodEvents;
  /** Set whenever it changes. */
  readonly pressure: StoredValue<Pressure>;
}

const log = logger("eviction");
const everyMs = 10_000;

/** Watches the available resources of the node, and evicts pods when they fall below a threshold. */
export class NodeEviction {
  readonly #options: NodeEvictionOptions;
  #state: EvictionState = calm;

  constructor(options: NodeEvictionOptions) {
    this.#options = options;
  }

  /** Runs periodically until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const failed = (error: unknown) => log.error(error, "failed to run eviction check");
    await repeat(() => this.look(), { clock, everyMs, failed }, signal);
  }

  /** Runs once, and evicts at most one pod. */
  async look(): Promise<void> {
    const { clock, thresholds, transitionMs, pressure } = this.#options;
    const observations = await this.#options.observe();
    const times = { nowMs: clock.now(), transitionMs };
    const step = evictionStep(thresholds, observations, this.#state, times);
    this.#state = step.state;
    if (!deepEqual(step.pressure, pressure.value)) pressure.set(step.pressure);
    if (await this.#holdToLocalLimits()) return;
    const [first] = step.due;
    if (first !== undefined) await this.#relieve(first, observations);
  }

  /** Evicts pods over their limits of local storage; returns whether there were any. */
  async #holdToLocalLimits(): Promise<boolean> {
    const { activePods, localUsage, podStats } = this.#options;
    const limited = activePods().filter(limitsLocalStorage);
    if (limited.length === 0) return false;
    const stats = await podStats();
    let any = false;
    for (const pod of limited) {
      const own = stats.find(({ podRef }) => podRef.uid === pod.metadata.uid);
      const message = localStorageViolation(pod, await localUsage(pod, own));
      if (message === undefined || isCritical(pod)) continue;
      any = true;
      this.#options.podEvents.record(pod, { type: "Warning", reason: "Evicted", message });
      await this.#end(pod, { reason: "Evicted", message, gracePeriodSeconds: 1 });
    }
    return any;
  }

  async #relieve(threshold: Threshold, observations: Observations): Promise<void> {
    const resource = resourceOf[threshold.signal];
    const { activePods, nodeEvents, reclaim } = this.#options;
    nodeEvents.record("Warning", "EvictionThresholdMet", `Attempting to reclaim ${resource}`);
    if (resource === "ephemeral-storage" || resource === "inodes") {
      await reclaim(resource);
      const again = (await this.#options.observe()).get(threshold.signal);
      if (again === undefined || !isCrossed(threshold, again)) return;
    }
    const stats = await this.#options.podStats();
    const statsOf = (pod: Pod) => stats.find(({ podRef }) => podRef.uid === pod.metadata.uid);
    const usage = (pod: Pod) => usageOf(statsOf(pod), resource);
    for (const pod of rankPods(activePods(), resource, usage)) {
      if (isCritical(pod)) continue;
      const observation = observations.get(threshold.signal);
      const message = evictionMessage(pod, resource, threshold, {
        observation,
        stats: statsOf(pod),
      });
      await this.#evict(pod, threshold, message);
      return;
    }
  }

  async #evict(pod: Pod, { gracePeriodMs }: Threshold, message: string): Promise<void> {
    const { podEvents, maxGracePeriodSeconds, clock } = this.#options;
    const own = pod.spec.terminationGracePeriodSeconds ?? maxGracePeriodSeconds;
    const gracePeriodSeconds = gracePeriodMs === 0 ? 1 : Math.min(maxGracePeriodSeconds, own);
    podEvents.record(pod, { type: "Warning", reason: "Evicted", message });
    log.info("Evicting pod", { pod: pod.metadata.name, message });
    await this.#end(pod, {
      reason: "Evicted",
      message,
      gracePeriodSeconds,
      condition: {
        type: "DisruptionTarget",
        status: "True",
        reason: "TerminationByKubelet",
        message,
        lastTransitionTime: formatTime(clock.now()),
      },
    });
  }

  /** A pod that doesn't end in time must not hold up the next eviction: its worker goes on. */
  async #end(pod: Pod, eviction: Eviction): Promise<void> {
    await this.#options.evict(pod, eviction).catch((error) => {
      log.error(error, "Eviction manager: pod failed to evict", { pod: pod.metadata.name });
    });
  }
}

function usageOf(stats: PodSummary | undefined, resource: string): number | undefined {
  if (stats === undefined) return undefined;
  if (resource === "pids") return stats.process_stats?.process_count ?? 0;
  const containers = stats.containers;
  if (resource === "memory") {
    return (
      stats.memory?.workingSetBytes ??
      containers.reduce((sum, { memory }) => sum + memory.workingSetBytes, 0)
    );
  }
  return containers.reduce(
    (sum, { rootfs }) => sum + ((rootfs as { usedBytes?: number } | undefined)?.usedBytes ?? 0),
    0,
  );
}
