import type { Pod } from "#/api/core/v1.ts";
import { logger } from "#/std/log/log.ts";
import { podKey } from "../cache/pod-info.ts";
import { type ClusterEvent, isOfInterest, isWildcard } from "../framework/cluster-event.ts";
import type { Plugin } from "../framework/plugin.ts";
import { type QueuedPod, wasRejected } from "../framework/queued-pod.ts";
import type { ObservedEvent } from "./in-flight.ts";

const log = logger("scheduler");

/** Effect of an event on a pod: none, retry after its backoff, or retry at once. */
export type Strategy = "skip" | "after-backoff" | "immediately";

/** The plugins that registered for an event. */
export function interestedPlugins(
  plugins: readonly Plugin[],
  event: ClusterEvent,
): readonly Plugin[] {
  if (isWildcard(event)) return plugins;
  return plugins.filter(({ requeueOn }) => {
    return requeueOn === undefined || requeueOn.some((interest) => isOfInterest(interest, event));
  });
}

/**
 * Calls the queueing hints of the plugins that rejected a pod.
 *
 * Upstream: pkg/scheduler/backend/queue/scheduling_queue.go.
 */
export function requeueStrategy(
  pod: QueuedPod,
  observed: ObservedEvent,
  plugins: readonly Plugin[],
): Strategy {
  if (!wasRejected(pod)) return "after-backoff";
  if (isWildcard(observed.event)) return isForPod(pod, observed) ? "after-backoff" : "skip";
  let strategy: Strategy = "skip";
  for (const plugin of plugins) {
    const pending = pod.pendingPlugins.has(plugin.name);
    if (!pending && !pod.unschedulablePlugins.has(plugin.name)) continue;
    if (!mayHelp(plugin, pod.info.pod, observed)) continue;
    if (pending) return "immediately";
    strategy = "after-backoff";
    if (pod.pendingPlugins.size === 0) return strategy;
  }
  return strategy;
}

/** The combined effect of the events since a returning pod was popped. */
export function strongestStrategy(
  pod: QueuedPod,
  events: readonly ObservedEvent[],
  plugins: readonly Plugin[],
): Strategy {
  let strongest: Strategy = "skip";
  for (const observed of events) {
    const strategy = requeueStrategy(pod, observed, plugins);
    if (strategy === "immediately") return strategy;
    if (strategy === "after-backoff") {
      strongest = strategy;
      if (pod.pendingPlugins.size === 0) return strongest;
    }
  }
  return strongest;
}

/** A wildcard event that names a pod concerns that pod only. */
function isForPod(pod: QueuedPod, { after }: ObservedEvent): boolean {
  const target = after as Pod | undefined;
  return target === undefined || target.metadata.uid === pod.info.uid;
}

function mayHelp(plugin: Plugin, pod: Pod, { event, before, after }: ObservedEvent): boolean {
  if (plugin.requeueOn === undefined) return true;
  return plugin.requeueOn.some((interest) => {
    if (!isOfInterest(interest, event)) return false;
    try {
      return interest.hint?.(pod, before, after) ?? true;
    } catch (error) {
      // A useless attempt is better than a pod that is never retried.
      log.error(error, "failed to evaluate queueing hint", {
        plugin: plugin.name,
        pod: podKey(pod),
      });
      return true;
    }
  });
}
