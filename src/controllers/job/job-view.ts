/** Upstream: pkg/controller/job/job_controller.go (syncJob), pkg/controller/job/indexed_job_utils.go. */
import type { Job, JobCondition } from "#/api/batch/v1.ts";
import type { Pod } from "#/api/core/v1.ts";
import { findCondition, hasCondition } from "#/machinery/meta/conditions.ts";
import { formatTime, parseTime } from "#/machinery/time/time.ts";
import { isActive, isReady, isTerminating } from "../pods/pod-state.ts";
import { finishedMs } from "./backoff.ts";
import { failureCounts, indexOf, isIndexed, parseIndexes } from "./indexes.ts";
import { judgeFailure, judgeSuccess } from "./policies.ts";

/** Keeps a Pod until it is counted. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";

/** A Job and the state of its Pods. */
export interface JobView {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly readyCount: number;
  readonly terminatingCount: number;
  /** Pods that have succeeded since the status was written. */
  readonly newSucceeded: readonly Pod[];
  readonly newFailed: readonly Pod[];
  readonly succeededCount: number;
  readonly failedCount: number;
  /** Of an indexed Job: completed indexes, now and in the last status. */
  readonly succeededIndexes: ReadonlySet<number>;
  readonly knownIndexes: ReadonlySet<number>;
  /** Of a Job with backoffLimitPerIndex: indexes that have failed permanently. */
  readonly failedIndexes: ReadonlySet<number> | undefined;
  /** The last failed Pod of each index, which holds its failure count until another Pod does. */
  readonly lastFailed: ReadonlyMap<number, Pod>;
}

export const isTracked = ({ metadata }: Pod): boolean =>
  (metadata.finalizers ?? []).includes(trackingFinalizer);

export const isSuspended = ({ spec }: Job): boolean => spec.suspend === true;

/** Whether terminating Pods must end before others are created. */
export const replacesFailedOnly = ({ spec }: Job): boolean =>
  spec.podReplacementPolicy === "Failed";

export const hasFailed = (pod: Pod, job: Job): boolean =>
  pod.status?.phase === "Failed" || (!replacesFailedOnly(job) && isTerminating(pod));

const hasSucceeded = ({ status }: Pod): boolean => status?.phase === "Succeeded";

/** Computes the state of a Job's Pods. */
export function viewJob(job: Job, pods: readonly Pod[]): JobView {
  const { completions = 0 } = job.spec;
  const { uncountedTerminatedPods: uncounted = {}, succeeded = 0, failed = 0 } = job.status ?? {};
  const isValid = (pod: Pod): boolean =>
    isTracked(pod) && (!isIndexed(job) || indexOf(pod, completions) !== undefined);
  const uids = { succeeded: uncounted.succeeded ?? [], failed: uncounted.failed ?? [] };
  const isNew = (pod: Pod, known: readonly string[]): boolean =>
    isValid(pod) && !known.includes(pod.metadata.uid ?? "");
  const newSucceeded = pods.filter((pod) => hasSucceeded(pod) && isNew(pod, uids.succeeded));
  const newFailed = pods.filter((pod) => hasFailed(pod, job) && isNew(pod, uids.failed));
  const counted = newFailed.filter((pod) => judgeFailure(job, pod).counts);
  const active = pods.filter(isActive);
  const indexes = viewIndexes(job, pods, active);
  return {
    job,
    pods,
    active,
    readyCount: active.filter(isReady).length,
    terminatingCount: pods.filter(isTerminating).length,
    newSucceeded,
    newFailed,
    succeededCount: isIndexed(job)
      ? indexes.succeededIndexes.size
      : succeeded + newSucceeded.length + uids.succeeded.length,
    failedCount: failed + counted.length + uids.failed.length,
    ...indexes,
  };
}

type IndexView = Pick<
  JobView,
  "succeededIndexes" | "knownIndexes" | "failedIndexes" | "lastFailed"
>;

function viewIndexes(job: Job, pods: readonly Pod[], active: readonly Pod[]): IndexView {
  const { completions = 0, backoffLimitPerIndex } = job.spec;
  const knownIndexes = isIndexed(job)
    ? parseIndexes(job.status?.completedIndexes, completions)
    : new Set<number>();
  const succeededIndexes = new Set(knownIndexes);
  const tracked = isIndexed(job) ? pods.filter(isTracked) : [];
  for (const pod of tracked.filter(hasSucceeded)) {
    const index = indexOf(pod, completions);
    if (index !== undefined) succeededIndexes.add(index);
  }
  const lastFailed = new Map<number, Pod>();
  if (backoffLimitPerIndex === undefined || !isIndexed(job)) {
    return { succeededIndexes, knownIndexes, failedIndexes: undefined, lastFailed };
  }
  const failedIndexes = parseIndexes(job.status?.failedIndexes, completions);
  const failed = tracked.filter((pod) => hasFailed(pod, job));
  for (const pod of failed) {
    const index = indexOf(pod, completions);
    if (index !== undefined && hasIndexFailed(job, pod)) failedIndexes.add(index);
  }
  const settled = new Set([...succeededIndexes, ...failedIndexes, ...indexesOf(active, job)]);
  for (const pod of failed) {
    const index = indexOf(pod, completions);
    if (index === undefined || settled.has(index)) continue;
    const other = lastFailed.get(index);
    if (!other || isLater(pod, other)) lastFailed.set(index, pod);
  }
  return { succeededIndexes, knownIndexes, failedIndexes, lastFailed };
}

/** The indexes of these Pods. */
export const indexesOf = (pods: readonly Pod[], { spec }: Job): number[] =>
  pods.flatMap((pod) => indexOf(pod, spec.completions ?? 0) ?? []);

function hasIndexFailed(job: Job, pod: Pod): boolean {
  const { counts, action } = judgeFailure(job, pod);
  if (action === "FailIndex") return true;
  return counts && failureCounts(pod).counted >= (job.spec.backoffLimitPerIndex ?? 0);
}

function isLater(pod: Pod, other: Pod): boolean {
  const total = (one: Pod): number => failureCounts(one).counted + failureCounts(one).ignored;
  return total(other) <= total(pod) && finishedMs(pod) >= finishedMs(other);
}

/**
 * The condition of a Job's end: FailureTarget or SuccessCriteriaMet, or Failed after the former;
 * undefined while it continues.
 */
export function verdictOf(view: JobView, nowMs: number): JobCondition | undefined {
  const { job } = view;
  const { conditions } = job.status ?? {};
  const met = findCondition(conditions, "SuccessCriteriaMet");
  if (met?.status === "True") return met;
  const target = findCondition(conditions, "FailureTarget");
  if (target?.status === "True") {
    return condition("Failed", target.reason ?? "", target.message ?? "", nowMs);
  }
  const failure = failureOf(view, nowMs);
  if (failure) return condition("FailureTarget", failure[0], failure[1], nowMs);
  const success = isIndexed(job) ? judgeSuccess(job, view.succeededIndexes) : undefined;
  if (success) return condition("SuccessCriteriaMet", "SuccessPolicy", success, nowMs);
  return undefined;
}

function failureOf(view: JobView, nowMs: number): [reason: string, message: string] | undefined {
  const { job, pods, failedIndexes, succeededIndexes } = view;
  const { spec, status } = job;
  const policy = spec.podFailurePolicy
    ? pods.filter((pod) => hasFailed(pod, job)).map((pod) => judgeFailure(job, pod).message)
    : [];
  const message = policy.find((text) => text !== undefined);
  if (message !== undefined) return ["PodFailurePolicy", message];
  if (view.failedCount > (spec.backoffLimit ?? 6) || restartsExceedLimit(job, pods)) {
    return ["BackoffLimitExceeded", "Job has reached the specified backoff limit"];
  }
  if (deadlineInMs(job, status?.startTime, nowMs) === 0) {
    return ["DeadlineExceeded", "Job was active longer than specified deadline"];
  }
  if (!failedIndexes || failedIndexes.size === 0) return undefined;
  if (spec.maxFailedIndexes !== undefined && failedIndexes.size > spec.maxFailedIndexes) {
    const text = "Job has exceeded the specified maximal number of failed indexes";
    return ["MaxFailedIndexesExceeded", text];
  }
  const isDone = failedIndexes.size + succeededIndexes.size >= (spec.completions ?? 0);
  return isDone ? ["FailedIndexes", "Job has failed indexes"] : undefined;
}

/** Time until a Job's deadline; undefined for none. */
export function deadlineInMs(
  job: Job,
  startTime: string | undefined,
  nowMs: number,
): number | undefined {
  const seconds = job.spec.activeDeadlineSeconds;
  if (seconds === undefined || startTime === undefined || isSuspended(job)) return undefined;
  return Math.max(0, parseTime(startTime) + seconds * 1000 - nowMs);
}

/** Whether the container restarts of Pods exceed the back-off limit. */
function restartsExceedLimit({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec?.restartPolicy !== "OnFailure") return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== "Running" && status?.phase !== "Pending") continue;
    const { containerStatuses = [], initContainerStatuses = [] } = status;
    for (const one of [...containerStatuses, ...initContainerStatuses])
      restarts += one.restartCount;
  }
  const { backoffLimit = 6 } = spec;
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

/** A condition with status True, from now on. */
export function condition(
  type: string,
  reason: string,
  message: string,
  nowMs: number,
  status: "True" | "False" = "True",
): JobCondition {
  const time = formatTime(nowMs);
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/** Whether a Job has finished. */
export const isFinishedJob = ({ status }: Job): boolean =>
  hasCondition(status?.conditions, "Complete") || hasCondition(status?.conditions, "Failed");
