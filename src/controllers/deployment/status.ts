/** Upstream: pkg/controller/deployment/{sync,progress}.go. */
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  ReplicaSet,
} from "#/api/apps/v1.ts";
import { findCondition, withoutCondition } from "#/machinery/meta/conditions.ts";
import { formatTime, parseTime } from "#/machinery/time/time.ts";
import { positive } from "../base/positive.ts";
import { deadlineMs, desiredReplicas, maxUnavailable, sizeOf, sum } from "./sizes.ts";

interface StatusInput {
  readonly deployment: Deployment;
  readonly newSet: ReplicaSet | undefined;
  readonly oldSets: readonly ReplicaSet[];
  readonly nowMs: number;
  /** Whether the status reports terminating Pods. */
  readonly reportsTerminating: boolean;
}

type Fields = Omit<DeploymentCondition, "lastTransitionTime" | "lastUpdateTime">;

/** Replaces a condition if status or reason differ; the new one is last. */
export function setCondition(
  conditions: readonly DeploymentCondition[],
  condition: Fields,
  nowMs: number,
): DeploymentCondition[] {
  const old = findCondition(conditions, condition.type);
  if (old?.status === condition.status && old.reason === condition.reason) return [...conditions];
  const now = formatTime(nowMs);
  const since = old?.status === condition.status ? (old.lastTransitionTime ?? now) : now;
  const dated = { ...condition, lastUpdateTime: now, lastTransitionTime: since };
  return [...withoutCondition(conditions, condition.type), dated];
}

/** The counts, and the condition Available; nothing about a rollout. */
export function computeStatus(input: StatusInput): DeploymentStatus {
  const { deployment, newSet, oldSets, nowMs } = input;
  const all = newSet ? [...oldSets, newSet] : [...oldSets];
  const available = sum(all, ({ status }) => status?.availableReplicas);
  const isEnough = available >= desiredReplicas(deployment) - maxUnavailable(deployment);
  const conditions = setCondition(
    deployment.status?.conditions ?? [],
    isEnough
      ? {
          type: "Available",
          status: "True",
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
        }
      : {
          type: "Available",
          status: "False",
          reason: "MinimumReplicasUnavailable",
          message: "Deployment does not have minimum availability.",
        },
    nowMs,
  );
  const terminating = input.reportsTerminating ? terminatingOf(all) : undefined;
  const { collisionCount } = deployment.status ?? {};
  return {
    ...positive("observedGeneration", deployment.metadata.generation ?? 0),
    ...positive(
      "replicas",
      sum(all, ({ status }) => status?.replicas),
    ),
    ...positive("updatedReplicas", newSet?.status?.replicas ?? 0),
    ...positive(
      "readyReplicas",
      sum(all, ({ status }) => status?.readyReplicas),
    ),
    ...positive("availableReplicas", available),
    ...positive("unavailableReplicas", Math.max(0, sum(all, sizeOf) - available)),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    conditions,
    ...(collisionCount === undefined ? {} : { collisionCount }),
  };
}

/** Number of terminating Pods; undefined if a ReplicaSet that should report it doesn't. */
function terminatingOf(sets: readonly ReplicaSet[]): number | undefined {
  const known = sets.filter(
    ({ status }) => status?.observedGeneration || status?.terminatingReplicas !== undefined,
  );
  if (known.some(({ status }) => status?.terminatingReplicas === undefined)) return undefined;
  return sum(known, ({ status }) => status?.terminatingReplicas);
}

/** The status during a rollout: the counts, and the condition Progressing. */
export function computeRolloutStatus(input: StatusInput): DeploymentStatus {
  const { deployment, newSet, oldSets, nowMs } = input;
  const status = computeStatus(input);
  const conditions = withFailure(
    withProgress(deployment, status, newSet, nowMs),
    newSet ? [newSet, ...oldSets] : oldSets,
    nowMs,
  );
  return { ...status, conditions };
}

function withProgress(
  deployment: Deployment,
  status: DeploymentStatus,
  newSet: ReplicaSet | undefined,
  nowMs: number,
): DeploymentCondition[] {
  const conditions = status.conditions ?? [];
  const type = "Progressing";
  if (deadlineMs(deployment) === undefined) return [...withoutCondition(conditions, type)];
  const current = findCondition(deployment.status?.conditions, type);
  const isOver =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) &&
    current?.reason === "NewReplicaSetAvailable";
  if (isOver) return conditions;
  const subject = newSet
    ? `ReplicaSet "${newSet.metadata.name}"`
    : `Deployment "${deployment.metadata.name}"`;
  const progress = (status: string, reason: string, what: string): Fields => ({
    type,
    status,
    reason,
    message: `${subject} ${what}.`,
  });
  if (isComplete(deployment, status)) {
    const done = progress("True", "NewReplicaSetAvailable", "has successfully progressed");
    return setCondition(conditions, done, nowMs);
  }
  if (hasProgressed(deployment, status)) {
    return renewed(conditions, progress("True", "ReplicaSetUpdated", "is progressing"), nowMs);
  }
  if (hasTimedOut(deployment, status, nowMs)) {
    const late = progress("False", "ProgressDeadlineExceeded", "has timed out progressing");
    return setCondition(conditions, late, nowMs);
  }
  return conditions;
}

/** A progress condition gets a new time even with the same reason: the deadline counts from it. */
function renewed(conditions: readonly DeploymentCondition[], condition: Fields, nowMs: number) {
  const old = findCondition(conditions, condition.type);
  const now = formatTime(nowMs);
  const since = old?.status === "True" ? (old.lastTransitionTime ?? now) : now;
  return [
    ...withoutCondition(conditions, condition.type),
    { ...condition, lastUpdateTime: now, lastTransitionTime: since },
  ];
}

/** Whether all Pods have the newest template, are available, and have the full number. */
export function isComplete(
  deployment: Deployment,
  status: DeploymentStatus | undefined = deployment.status,
): boolean {
  const desired = desiredReplicas(deployment);
  const counts = [status?.updatedReplicas, status?.replicas, status?.availableReplicas];
  return (
    counts.every((count) => (count ?? 0) === desired) &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed({ status: before }: Deployment, now: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus | undefined): number =>
    (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  const grew = (name: "updatedReplicas" | "readyReplicas" | "availableReplicas"): boolean =>
    (now[name] ?? 0) > (before?.[name] ?? 0);
  return (
    grew("updatedReplicas") ||
    old(now) < old(before) ||
    grew("readyReplicas") ||
    grew("availableReplicas")
  );
}

function hasTimedOut(deployment: Deployment, status: DeploymentStatus, nowMs: number): boolean {
  const condition = findCondition(status.conditions, "Progressing");
  if (!condition || condition.reason === "NewReplicaSetAvailable") return false;
  if (condition.reason === "ProgressDeadlineExceeded") return true;
  const since = parseTime(condition.lastUpdateTime ?? "");
  return since + (deadlineMs(deployment) ?? Number.POSITIVE_INFINITY) < nowMs;
}

/** Time until the progress deadline must be checked; undefined if it need not. */
export function progressCheckMs(
  deployment: Deployment,
  status: DeploymentStatus,
  nowMs: number,
): number | undefined {
  const condition = findCondition(deployment.status?.conditions, "Progressing");
  const deadline = deadlineMs(deployment);
  if (deadline === undefined || !condition) return undefined;
  if (isComplete(deployment, status) || condition.reason === "ProgressDeadlineExceeded") {
    return undefined;
  }
  const after = parseTime(condition.lastUpdateTime ?? "") + deadline - nowMs;
  // Times in conditions have whole seconds.
  return Math.max(after, 0) + 1000;
}

/** Copies the condition ReplicaFailure of a ReplicaSet, of the newest first. */
function withFailure(
  conditions: readonly DeploymentCondition[],
  sets: readonly ReplicaSet[],
  nowMs: number,
): DeploymentCondition[] {
  const type = "ReplicaFailure";
  const failure = sets
    .flatMap(({ status }) => status?.conditions ?? [])
    .find((condition) => condition.type === type);
  if (!failure) return [...withoutCondition(conditions, type)];
  const { status, reason, message, lastTransitionTime = formatTime(nowMs) } = failure;
  const old = findCondition(conditions, type);
  if (old?.status === status && old.reason === reason) return [...conditions];
  const since =
    old?.status === status ? (old.lastTransitionTime ?? lastTransitionTime) : lastTransitionTime;
  return [
    ...withoutCondition(conditions, type),
    {
      type,
      status,
      lastUpdateTime: lastTransitionTime,
      lastTransitionTime: since,
      ...(reason ? { reason } : {}),
      ...(message ? { message } : {}),
    },
  ];
}

/** The condition of a paused or resumed rollout; undefined if it does not change. */
export function pausedCondition(deployment: Deployment): Fields | undefined {
  const current = findCondition(deployment.status?.conditions, "Progressing");
  if (deadlineMs(deployment) === undefined || current?.reason === "ProgressDeadlineExceeded") {
    return undefined;
  }
  const isPaused = deployment.spec?.paused === true;
  if (isPaused === (current?.reason === "DeploymentPaused")) return undefined;
  return {
    type: "Progressing",
    status: "Unknown",
    reason: isPaused ? "DeploymentPaused" : "DeploymentResumed",
    message: `Deployment is ${isPaused ? "paused" : "resumed"}`,
  };
}
