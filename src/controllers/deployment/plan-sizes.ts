/** Upstream: pkg/controller/deployment/{sync,rolling}.go, util/deployment_util.go. */
import type { Deployment, ReplicaSet } from "#/api/apps/v1.ts";
import { annotations, numberAnnotation } from "./revisions.ts";
import {
  byAge,
  desiredReplicas,
  isRolling,
  maxSurge,
  maxUnavailable,
  sizeOf,
  sum,
} from "./sizes.ts";

/** A new size of a ReplicaSet. */
export interface Resize {
  readonly set: ReplicaSet;
  readonly replicas: number;
}

/** Limit of the newest ReplicaSet's size, given all Pods. */
export function newSetSize(
  deployment: Deployment,
  newSize: number,
  all: readonly ReplicaSet[],
): number {
  const desired = desiredReplicas(deployment);
  if (!isRolling(deployment)) return desired;
  const room = desired + maxSurge(deployment) - sum(all, sizeOf);
  return room <= 0 ? newSize : newSize + Math.min(room, desired - newSize);
}

/** The next step of a rolling update in the newest ReplicaSet; empty if it has its full size. */
export function planNewSet(
  deployment: Deployment,
  newSet: ReplicaSet,
  all: readonly ReplicaSet[],
): Resize[] {
  const [desired, size] = [desiredReplicas(deployment), sizeOf(newSet)];
  const replicas = size > desired ? desired : newSetSize(deployment, size, all);
  return size === desired || replicas === size ? [] : [{ set: newSet, replicas }];
}

/**
 * The next step of a rolling update in the old ReplicaSets: unavailable Pods are deleted first, as
 * that reduces nothing; then others within minAvailable.
 */
export function planOldSets(
  deployment: Deployment,
  newSet: ReplicaSet,
  old: readonly ReplicaSet[],
): Resize[] {
  const sets = [...old].sort(byAge);
  const minAvailable = desiredReplicas(deployment) - maxUnavailable(deployment);
  const newUnavailable = sizeOf(newSet) - (newSet.status?.availableReplicas ?? 0);
  let spare = sum([...old, newSet], sizeOf) - minAvailable - newUnavailable;
  if (sum(sets, sizeOf) === 0 || spare <= 0) return [];
  const sizes = new Map(sets.map((set) => [set, sizeOf(set)]));
  const shrink = (set: ReplicaSet, by: number): number => {
    const count = Math.max(0, Math.min(by, sizes.get(set) ?? 0));
    sizes.set(set, (sizes.get(set) ?? 0) - count);
    return count;
  };
  for (const set of sets) {
    const unhealthy = sizeOf(set) - (set.status?.availableReplicas ?? 0);
    spare -= shrink(set, Math.min(spare, unhealthy));
  }
  const available = sum([...old, newSet], ({ status }) => status?.availableReplicas);
  // A ReplicaSet that has just shrunk may still count terminating Pods as available: sizes are more
  // reliable than counts.
  let rest = Math.min(spare, available - minAvailable);
  for (const set of sets) rest -= shrink(set, rest);
  return sets.flatMap((set) => {
    const replicas = sizes.get(set) ?? 0;
    return replicas === sizeOf(set) ? [] : [{ set, replicas }];
  });
}

/**
 * The sizes after the Deployment was scaled. During a rolling update all ReplicaSets grow or shrink
 * in proportion, so that scaling doesn't accelerate the rollout.
 */
export function planScaling(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Resize[] {
  const desired = desiredReplicas(deployment);
  const all = newSet ? [...old, newSet] : [...old];
  const only = activeOrLatest(newSet, old);
  if (only) return sizeOf(only) === desired ? [] : [{ set: only, replicas: desired }];
  const active = all.filter((set) => sizeOf(set) > 0);
  if (isSaturated(deployment, newSet)) {
    return active.filter((set) => set !== newSet).map((set) => ({ set, replicas: 0 }));
  }
  return isRolling(deployment) ? planProportions(deployment, active) : [];
}

/**
 * The only ReplicaSet with Pods, or the latest if there are none; undefined if several have some.
 */
function activeOrLatest(
  newSet: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): ReplicaSet | undefined {
  const all = newSet ? [...old, newSet] : [...old];
  const active = all.filter((set) => sizeOf(set) > 0);
  if (active.length > 1) return undefined;
  return active[0] ?? newSet ?? [...old].sort(byAge).at(-1);
}

/** Whether the newest ReplicaSet has the Deployment's size, and all Pods are available. */
function isSaturated(deployment: Deployment, set: ReplicaSet | undefined): boolean {
  if (!set) return false;
  const desired = desiredReplicas(deployment);
  const noted = numberAnnotation(set, annotations.desiredReplicas);
  return (
    sizeOf(set) === desired && noted === desired && (set.status?.availableReplicas ?? 0) === desired
  );
}

/**
 * Every active ReplicaSet is in the result, even with the same size: its annotations may change.
 */
function planProportions(deployment: Deployment, active: readonly ReplicaSet[]): Resize[] {
  const desired = desiredReplicas(deployment);
  const allowed = desired > 0 ? desired + maxSurge(deployment) : 0;
  const toAdd = allowed - sum(active, sizeOf);
  // The biggest first; among equals the newest when growing, the oldest when shrinking.
  const order = toAdd > 0 ? -1 : 1;
  const sets = [...active].sort((a, b) => sizeOf(b) - sizeOf(a) || order * byAge(a, b));
  let added = 0;
  const sizes = sets.map((set) => {
    const share = shareOf(set, deployment, toAdd, added);
    added += share;
    return sizeOf(set) + share;
  });
  return sets.map((set, index) => {
    const leftover = index === 0 ? toAdd - added : 0;
    return { set, replicas: Math.max(0, (sizes[index] ?? 0) + leftover) };
  });
}

/** The share of a ReplicaSet in the Pods to add or remove. */
function shareOf(set: ReplicaSet, deployment: Deployment, toAdd: number, added: number): number {
  const size = sizeOf(set);
  if (size === 0 || toAdd === added) return 0;
  const fraction = fractionOf(set, deployment);
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added);
}

function fractionOf(set: ReplicaSet, deployment: Deployment): number {
  const size = sizeOf(set);
  if (desiredReplicas(deployment) === 0) return -size;
  const most = desiredReplicas(deployment) + maxSurge(deployment);
  const before =
    numberAnnotation(set, annotations.maxReplicas) || (deployment.status?.replicas ?? 0);
  return before === 0 ? 0 : Math.round((size * most) / before) - size;
}
