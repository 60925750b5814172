import type { Pod, ResourceQuota } from "#/api/core/v1.ts";
import { isTerminal, nameOf } from "../pods.ts";
import type { Change, World } from "../world.ts";
import type { Property } from "./property.ts";

/**
 * A new Pod never takes its namespace over a quota that existed before. Admission adds a Pod to the usage before the
 * Pod exists. The controller counts again when Pods are deleted: it may not see the newest yet, and then omits them.
 * That number of Pods may then be created in addition, upstream too.
 */
export class QuotaIsKept implements Property {
  readonly name = "no Pod is created over a ResourceQuota";
  /**
   * Pods that were just admitted and do not exist yet, by the quota's uid: one that is not created later has failed.
   */
  readonly #admitted = new Map<string, { readonly atMs: number; readonly pods: number }>();
  /** Pods that the controller's last count omitted, by the quota's uid. */
  readonly #overlooked = new Map<string, number>();

  /** The latest time that the wall clock has shown: a Pod that was overdue then had not been counted. */
  #latestMs = 0;

  check({ resource, now, old }: Change, world: World): string | undefined {
    this.#latestMs = Math.max(this.#latestMs, world.clock.now());
    if (resource === "resourcequotas" && now && old) {
      this.#noteUse(now as ResourceQuota, old as ResourceQuota, world);
    }
    if (resource !== "pods" || !now || old) return undefined;
    for (const quota of world.list<ResourceQuota>("resourcequotas")) {
      if (quota.metadata.namespace !== now.metadata.namespace) continue;
      const { uid = "", namespace = "" } = quota.metadata;
      this.#admit(uid, -1, world);
      const limit = Number(quota.spec?.hard?.["pods"] ?? Number.POSITIVE_INFINITY);
      const used = countedPods(world, namespace, this.#latestMs).length;
      if (used <= limit + (this.#overlooked.get(uid) ?? 0)) continue;
      return `${nameOf(quota)}: ${used} Pods, the limit is ${limit}`;
    }
    return undefined;
  }

  #noteUse(now: ResourceQuota, old: ResourceQuota, world: World): void {
    const { uid = "", namespace = "" } = now.metadata;
    const added = usedPods(now) - usedPods(old);
    // Admission only adds.
    if (added > 0) this.#admit(uid, added, world);
    if (added >= 0) return;
    const there = countedPods(world, namespace).length + this.#admit(uid, 0, world);
    this.#overlooked.set(uid, Math.max(0, there - usedPods(now)));
  }

  #admit(uid: string, added: number, { clock }: World): number {
    const atMs = clock.monotonicMs();
    const before = this.#admitted.get(uid);
    const pods = Math.max(0, (before?.atMs === atMs ? before.pods : 0) + added);
    this.#admitted.set(uid, { atMs, pods });
    return pods;
  }
}

const usedPods = ({ status }: ResourceQuota): number => Number(status?.used?.["pods"] ?? 0);

/** The Pods of a namespace that a quota counts: those that have not ended, and have not outlived their grace period. */
export function countedPods(
  world: World,
  namespace: string,
  nowMs: number = world.clock.now(),
): Pod[] {
  return world
    .list<Pod>("pods")
    .filter(({ metadata }) => metadata.namespace === namespace)
    .filter((pod) => !isTerminal(pod) && !isOverdue(pod, nowMs));
}

function isOverdue({ metadata }: Pod, nowMs: number): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return nowMs > new Date(deletionTimestamp).getTime() + deletionGracePeriodSeconds * 1000;
}
