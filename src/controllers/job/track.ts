/** Upstream: pkg/controller/job/job_controller.go (trackJobStatusAndRemoveFinalizers). */
import type { Job, JobCondition, JobStatus, UncountedTerminatedPods } from "#/api/batch/v1.ts";
import type { Pod } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { formatIndexes, indexOf, isIndexed } from "./indexes.ts";
import { condition, hasFailed, isTracked, type JobView } from "./job-view.ts";
import { judgeFailure } from "./policies.ts";

/** Limit of Pods counted in one status write. */
const maxUncounted = 500;

/** A status with counted Pods, and those Pods, which are released after the write. */
interface Count {
  readonly status: JobStatus;
  readonly release: readonly Pod[];
  /** Whether there are more Pods to count. */
  readonly isPartial: boolean;
  /** The Job's final condition when all Pods are counted. */
  readonly end: JobCondition | undefined;
}

/** Counts ended Pods, or all Pods if the Job ends. */
export function countPods(
  view: JobView,
  status: JobStatus,
  verdict: JobCondition | undefined,
  nowMs: number,
): Count {
  const { job, pods, lastFailed } = view;
  const tracked = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid));
  const settled = withoutReleased(status, tracked);
  const uncounted = {
    succeeded: [...(settled.uncountedTerminatedPods?.succeeded ?? [])],
    failed: [...(settled.uncountedTerminatedPods?.failed ?? [])],
  };
  const indexes = new Set(view.succeededIndexes);
  const release: Pod[] = [];
  const delayed = new Set(lastFailed.values());
  const isOver = job.metadata.deletionTimestamp !== undefined || verdict !== undefined;
  let newIndexes = 0;
  let isPartial = false;
  for (const pod of pods.filter(isTracked)) {
    const failed = hasFailed(pod, job);
    const isDone = pod.status?.phase === "Succeeded";
    if (!isOver && !isDone && (!failed || delayed.has(pod))) continue;
    release.push(pod);
    const uid = pod.metadata.uid ?? "";
    if (isDone && !uncounted.failed.includes(uid)) {
      const index = indexOf(pod, job.spec.completions ?? 0);
      if (!isIndexed(job)) addOnce(uncounted.succeeded, uid);
      else if (index !== undefined && !view.knownIndexes.has(index)) {
        indexes.add(index);
        newIndexes++;
      }
    } else if (failed || (verdict && verdict.type !== "SuccessCriteriaMet")) {
      if (countsAsFailed(job, pod)) addOnce(uncounted.failed, uid);
    }
    isPartial = newIndexes + uncounted.succeeded.length + uncounted.failed.length >= maxUncounted;
    if (isPartial) break;
  }
  return {
    ...withVerdict({ ...settled, ...indexStatus(view, indexes) }, verdict, nowMs, uncounted),
    release,
    isPartial,
  };
}

function countsAsFailed(job: Job, pod: Pod): boolean {
  if (isIndexed(job) && indexOf(pod, job.spec.completions ?? 0) === undefined) return false;
  return judgeFailure(job, pod).counts;
}

function addOnce(list: string[], uid: string): void {
  if (!list.includes(uid)) list.push(uid);
}

function indexStatus({ job, failedIndexes }: JobView, indexes: ReadonlySet<number>): JobStatus {
  if (!isIndexed(job)) return {};
  return {
    succeeded: indexes.size,
    completedIndexes: formatIndexes(indexes),
    ...(failedIndexes ? { failedIndexes: formatIndexes(failedIndexes) } : {}),
  };
}

/** Adds the target condition first, and the final one when all Pods are released. */
function withVerdict(
  status: JobStatus,
  verdict: JobCondition | undefined,
  nowMs: number,
  uncounted: Required<UncountedTerminatedPods>,
): Pick<Count, "status" | "end"> {
  const { conditions = [] } = status;
  const uncountedTerminatedPods = uncounted;
  if (!verdict) return { status: { ...status, uncountedTerminatedPods }, end: undefined };
  const { type, reason = "", message = "" } = verdict;
  const isPresent = type === "Failed" || findCondition(conditions, type)?.status === "True";
  const end = type === "SuccessCriteriaMet" ? "Complete" : "Failed";
  return {
    status: {
      ...status,
      uncountedTerminatedPods,
      conditions: isPresent ? conditions : [...conditions, verdict],
    },
    end: condition(end, reason, message, nowMs),
  };
}

/** Moves released Pods from the uncounted list to the sums. */
export function withoutReleased(
  status: JobStatus,
  tracked: ReadonlySet<string | undefined>,
): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const stillSucceeded = succeeded.filter((uid) => tracked.has(uid));
  const stillFailed = failed.filter((uid) => tracked.has(uid));
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - stillSucceeded.length,
    failed: (status.failed ?? 0) + failed.length - stillFailed.length,
    uncountedTerminatedPods: { succeeded: stillSucceeded, failed: stillFailed },
  };
}

/** The status of an ended Job; undefined while Pods are uncounted or still exist. */
export function withEnd(status: JobStatus, end: JobCondition): JobStatus | undefined {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length + (status.terminating ?? 0) > 0) return undefined;
  const others = (status.conditions ?? []).filter(({ type }) => type !== end.type);
  return {
    ...status,
    conditions: [...others, end],
    ...(end.type === "Complete" && end.lastTransitionTime
      ? { completionTime: laterOf(end.lastTransitionTime, status.startTime) }
      : {}),
  };
}

/** The API refuses an end before the start, which a clock that was set back would give. */
const laterOf = (time: string, start: string | undefined): string =>
  start !== undefined && start > time ? start : time;

/** The status without empty fields, as the server stores it. */
export function compact(status: JobStatus): JobStatus {
  const { active, succeeded, failed, completedIndexes, conditions, ...rest } = status;
  const { uncountedTerminatedPods: uncounted = {} } = rest;
  return {
    ...rest,
    uncountedTerminatedPods: {
      ...(uncounted.succeeded?.length ? { succeeded: uncounted.succeeded } : {}),
      ...(uncounted.failed?.length ? { failed: uncounted.failed } : {}),
    },
    ...(conditions?.length ? { conditions } : {}),
    ...(active ? { active } : {}),
    ...(succeeded ? { succeeded } : {}),
    ...(failed ? { failed } : {}),
    ...(completedIndexes ? { completedIndexes } : {}),
  };
}
