/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_gc.go. */
import type { KubeletFlags } from "../config/flags.ts";
import type { ObservedContainer, ObservedPod } from "../state/observed-pod.ts";

export interface CollectionPolicy {
  /** Least age of a dead container before it is removed. */
  readonly minAgeMs: number;
  /** How many dead instances of each container are kept. */
  readonly maxPerContainer: number;
  /** How many are kept in all; negative for no limit. */
  readonly maxContainers: number;
}

/** The policy of the flags. */
export function containerPolicy(flags: KubeletFlags): CollectionPolicy {
  return {
    minAgeMs: flags["minimum-container-ttl-duration"],
    maxPerContainer: flags["maximum-dead-containers-per-container"],
    maxContainers: flags["maximum-dead-containers"],
  };
}

/** Containers and sandboxes that may be removed. */
interface Collection {
  readonly containers: readonly string[];
  readonly sandboxes: readonly string[];
}

interface PodStates {
  mayRemoveContainers(uid: string): boolean;
  mayRemoveContent(uid: string): boolean;
}

/** Which dead containers and sandboxes are no longer needed. */
export function planCollection(
  pods: readonly ObservedPod[],
  states: PodStates,
  policy: CollectionPolicy,
  nowMs: number,
): Collection {
  const removed: string[] = [];
  const kept: ObservedContainer[] = [];
  for (const { uid, containers } of pods) {
    const limit = states.mayRemoveContent(uid) ? 0 : policy.maxPerContainer;
    const byName = Map.groupBy(
      containers.filter((one) => isDead(one) && nowMs - one.createdAtMs >= policy.minAgeMs),
      ({ name }) => name,
    );
    for (const dead of byName.values()) {
      const newestFirst = [...dead].sort((a, b) => b.createdAtMs - a.createdAtMs);
      const stays = limit < 0 ? newestFirst.length : limit;
      removed.push(...newestFirst.slice(stays).map(({ id }) => id));
      kept.push(...newestFirst.slice(0, stays));
    }
  }
  if (policy.maxContainers >= 0 && kept.length > policy.maxContainers) {
    const oldestFirst = kept.sort((a, b) => a.createdAtMs - b.createdAtMs);
    const excess = oldestFirst.slice(0, kept.length - policy.maxContainers);
    removed.push(...excess.map(({ id }) => id));
  }
  return { containers: removed, sandboxes: deadSandboxes(pods, states, new Set(removed)) };
}

function isDead({ state }: ObservedContainer): boolean {
  return state !== "running";
}

/** Sandboxes that are not ready and have no containers; for a pod of this node the newest is kept. */
function deadSandboxes(
  pods: readonly ObservedPod[],
  states: PodStates,
  removed: ReadonlySet<string>,
): string[] {
  return pods.flatMap(({ uid, sandboxes, containers }) => {
    const held = new Set(
      containers.filter(({ id }) => !removed.has(id)).map(({ sandboxId }) => sandboxId),
    );
    const newestFirst = [...sandboxes].sort((a, b) => b.createdAtMs - a.createdAtMs);
    const candidates = states.mayRemoveContent(uid) ? newestFirst : newestFirst.slice(1);
    return candidates.filter(({ id, ready }) => !ready && !held.has(id)).map(({ id }) => id);
  });
}
