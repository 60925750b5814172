import type { Pod, ResourceQuota } from "#/api/core/v1.ts";
import { isTerminal, nameOf } from "../pods.ts";
import type { World } from "../world.ts";
import type { Property } from "./property.ts";

/** A new Pod never takes its namespace over a quota that was there before. */
export const quotaIsKept: Property = {
  name: "no Pod is created over a ResourceQuota",
  check({ resource, now, old }, world) {
    if (resource !== "pods" || !now || old) return undefined;
    for (const quota of world.list<ResourceQuota>("resourcequotas")) {
      if (quota.metadata.namespace !== now.metadata.namespace) continue;
      const limit = Number(quota.spec?.hard?.["pods"] ?? Number.POSITIVE_INFINITY);
      const used = countedPods(world, quota.metadata.namespace ?? "").length;
      if (used > limit) return `${nameOf(quota)}: ${used} Pods, the limit is ${limit}`;
    }
    return undefined;
  },
};

/** The Pods of a namespace that a quota counts: those that have not ended, and have not outlived their grace period. */
export function countedPods(world: World, namespace: string): Pod[] {
  return world
    .list<Pod>("pods")
    .filter(({ metadata }) => metadata.namespace === namespace)
    .filter((pod) => !isTerminal(pod) && !isOverdue(pod, world.clock.now()));
}

function isOverdue({ metadata }: Pod, nowMs: number): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return nowMs > new Date(deletionTimestamp).getTime() + deletionGracePeriodSeconds * 1000;
}
