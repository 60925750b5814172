/** Upstream: pkg/kubelet/nodeshutdown. */
import type { Pod } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { isCritical } from "../cgroups/oom-score.ts";
import type { Admission, EvictPod } from "../state/pod-services.ts";
import type { StoredValue } from "../state/stored-value.ts";

/** The machine's own shutdown, which waits for inhibitors. */
export interface ShutdownSource {
  /** Delays shutdowns until release(). */
  hold(): Promise<void>;
  release(): Promise<void>;
  /** True when the machine is about to shut down, false when that is cancelled. */
  events(signal: AbortSignal): AsyncIterable<boolean>;
}

export interface NodeShutdownOptions {
  readonly source: ShutdownSource;
  readonly clock: Clock;
  /** `shutdownGracePeriod`: the time of all pods together. */
  readonly gracePeriodMs: number;
  /** `shutdownGracePeriodCriticalPods`: the last part of it. */
  readonly criticalMs: number;
  activePods(): readonly Pod[];
  readonly evict: EvictPod;
  /** Set to whether the node is shutting down. */
  readonly shuttingDown: Pick<StoredValue<boolean>, "set">;
}

const log = logger("node-shutdown");
const message = "Pod was terminated in response to imminent node shutdown.";

/** Stops pods in order of priority before the machine shuts down. */
export class NodeShutdown {
  readonly #options: NodeShutdownOptions;

  constructor(options: NodeShutdownOptions) {
    this.#options = options;
  }

  /** Waits for shutdowns until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { source, shuttingDown } = this.#options;
    await source.hold();
    for await (const goesDown of source.events(signal)) {
      log.info("Shutdown manager detected new shutdown event", { shutdown: goesDown });
      shuttingDown.set(goesDown);
      if (goesDown) {
        await this.#endPods();
        await source.release();
      } else await source.hold();
    }
  }

  async #endPods(): Promise<void> {
    const { gracePeriodMs, criticalMs, activePods, clock } = this.#options;
    for (const { pods, graceMs } of shutdownGroups(activePods(), gracePeriodMs, criticalMs)) {
      const waiting = new AbortController();
      const late = clock.sleep(graceMs, waiting.signal).catch(() => undefined);
      await Promise.race([Promise.allSettled(pods.map((pod) => this.#end(pod, graceMs))), late]);
      waiting.abort();
    }
  }

  async #end(pod: Pod, graceMs: number): Promise<void> {
    const { evict, clock } = this.#options;
    const own = pod.spec.terminationGracePeriodSeconds ?? Number.POSITIVE_INFINITY;
    const gracePeriodSeconds = Math.min(own, Math.floor(graceMs / 1000));
    const lastTransitionTime = formatTime(clock.now());
    await evict(pod, {
      reason: "Terminated",
      message,
      gracePeriodSeconds,
      condition: {
        type: "DisruptionTarget",
        status: "True",
        reason: "TerminationByKubelet",
        message,
        lastTransitionTime,
      },
    });
  }
}

/** Why the node isn't ready, if the machine is shutting down. */
export function shutdownProblem(shuttingDown: boolean): string | undefined {
  return shuttingDown ? "node is shutting down" : undefined;
}

/** Whether pods may start. */
export function admitDuringShutdown(shuttingDown: boolean): Admission {
  if (!shuttingDown) return { admitted: true };
  return {
    admitted: false,
    reason: "NodeShutdown",
    message: "Pod was rejected as the node is shutting down.",
  };
}

/** Ordinary pods first, then critical ones, each with its part of the time. */
function shutdownGroups(pods: readonly Pod[], gracePeriodMs: number, criticalMs: number) {
  return [
    { pods: pods.filter((pod) => !isCritical(pod)), graceMs: gracePeriodMs - criticalMs },
    { pods: pods.filter(isCritical), graceMs: criticalMs },
  ].filter(({ pods }) => pods.length > 0);
}
