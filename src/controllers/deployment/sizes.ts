/** Upstream: pkg/controller/deployment/util/deployment_util.go. */
import type { Deployment, ReplicaSet } from "#/api/apps/v1.ts";
import { scaledValue } from "#/machinery/values/int-or-string.ts";

const unlimited = 2 ** 31 - 1;

export const desiredReplicas = ({ spec }: Deployment): number => spec?.replicas ?? 1;

/** The desired size of a ReplicaSet. */
export const sizeOf = ({ spec }: ReplicaSet): number => spec?.replicas ?? 1;

export const isRolling = ({ spec }: Deployment): boolean => spec?.strategy?.type !== "Recreate";

/** maxSurge and maxUnavailable as numbers of Pods. Never both zero. */
function fenceposts(deployment: Deployment): { surge: number; unavailable: number } {
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const total = desiredReplicas(deployment);
  const surge = scaledValue(maxSurge, { total, roundUp: true });
  const unavailable = scaledValue(maxUnavailable, { total, roundUp: false });
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export const maxSurge = (deployment: Deployment): number =>
  isRolling(deployment) ? fenceposts(deployment).surge : 0;

export function maxUnavailable(deployment: Deployment): number {
  const desired = desiredReplicas(deployment);
  if (!isRolling(deployment) || desired === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, desired);
}

/** The progress deadline in milliseconds; undefined for none. */
export function deadlineMs({ spec }: Deployment): number | undefined {
  const seconds = spec?.progressDeadlineSeconds;
  return seconds === undefined || seconds === unlimited ? undefined : seconds * 1000;
}

/** Limit of old ReplicaSets; undefined for none. */
export function historyLimit({ spec }: Deployment): number | undefined {
  const limit = spec?.revisionHistoryLimit;
  return limit === unlimited ? undefined : limit;
}

export const sum = (
  sets: readonly ReplicaSet[],
  of: (set: ReplicaSet) => number | undefined,
): number => sets.reduce((total, set) => total + (of(set) ?? 0), 0);

/** Oldest first. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [first = "", second = ""] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (first !== second) return first < second ? -1 : 1;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
