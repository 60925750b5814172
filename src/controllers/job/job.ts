/** Upstream: pkg/controller/job/job_controller.go. */
import { type Job, type JobCondition, type JobStatus, jobs } from "#/api/batch/v1.ts";
import { type Pod, pods } from "#/api/core/v1.ts";
import { keyOf, refKey, refOf } from "#/client/object-key.ts";
import type { ObjectRef } from "#/client/resource-path.ts";
import {
  type Controller,
  type ControllerContext,
  controller,
  type ReconcileResult,
} from "#/controller/controller.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { findControllerReference } from "#/machinery/meta/owner-references.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { asError, failureOf } from "#/std/base/as-error.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import { watchOrphans } from "../base/claim.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { claimPods } from "../pods/claim-pods.ts";
import { createPods, deletePod } from "../pods/create-pod.ts";
import { podsControlledBy } from "../pods/pod-indexes.ts";
import { isReady } from "../pods/pod-state.ts";
import { type BackoffRecord, nextRecord } from "./backoff.ts";
import {
  condition,
  deadlineInMs,
  isFinishedJob,
  isSuspended,
  isTracked,
  type JobView,
  trackingFinalizer,
  verdictOf,
  viewJob,
} from "./job-view.ts";
import { planJob } from "./plan-job.ts";
import { compact, countPods, withEnd, withoutReleased } from "./track.ts";

type Context = ControllerContext<ManagerOptions>;
type Records = Map<string, BackoffRecord>;

const name = "job-controller";
const ownManager = "kubernetes.io/job-controller";

/** Runs Pods until a Job's work is complete, or has failed. */
export const jobController: Controller<ManagerOptions> = {
  name,
  run(context) {
    const records: Records = new Map();
    return controller<Job, ManagerOptions>({
      name,
      for: jobs,
      owns: [pods],
      watches: [watchOrphans(pods, jobs)],
      workers: ({ flags }) => flags["concurrent-job-syncs"],
      retry: {
        backoff: exponentialBackoff({ baseMs: 1000, maxMs: 60_000 }),
        rate: "unlimited",
      },
      reconcile: (job, own) => reconcile(job, own, records),
      gone: (ref, own) => releaseDeleted(ref, own, records),
    }).run(context);
  },
};

async function reconcile(job: Job, context: Context, records: Records): Promise<ReconcileResult> {
  const { spec } = job;
  const isForeign = spec.managedBy !== undefined && spec.managedBy !== ownManager;
  if (isForeign && context.options.enabled("JobManagedBy")) return;
  if (isFinishedJob(job)) {
    records.delete(keyOf(job));
    await releasePods(podsControlledBy(job, context.informers), context);
    return;
  }
  if (!["Indexed", "NonIndexed", undefined].includes(spec.completionMode)) {
    const message = "Skipped Job sync because completion mode is unknown";
    context.recorder.event(job, "Warning", "UnknownCompletionMode", message);
    return;
  }
  return await sync(job, context, records);
}

/** The state of the Pods after the actions, and the resulting status. */
interface Progress {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly verdict: JobCondition | undefined;
  readonly status: JobStatus;
  readonly failure: Error | undefined;
  readonly afterMs?: number | undefined;
}

async function sync(job: Job, context: Context, records: Records): Promise<ReconcileResult> {
  const { clock } = context;
  const nowMs = clock.now();
  const selector = compileLabelSelector(job.spec.selector);
  const finalizers = [trackingFinalizer];
  const claim = { owner: job, ownerResource: jobs, selector, finalizers };
  const view = viewJob(job, await claimPods(claim, context));
  const record = nextRecord(records.get(keyOf(job)), view.newSucceeded, view.newFailed);
  const isStarted = job.status?.startTime !== undefined || isSuspended(job);
  const status: JobStatus = {
    ...job.status,
    ...(isStarted ? {} : { startTime: formatTime(nowMs) }),
  };
  const verdict = verdictOf(view, nowMs);
  const progress = verdict
    ? await finish(view, status, verdict, context)
    : await proceed(view, status, record, context);
  await track(view, progress, context, () => records.set(keyOf(job), record));
  if (progress.failure) throw progress.failure;
  const deadline = verdict ? undefined : deadlineInMs(job, status.startTime, nowMs);
  const waits = [progress.afterMs, deadline];
  const known = waits.filter((ms) => ms !== undefined);
  return known.length > 0 ? { afterMs: Math.min(...known) } : undefined;
}

/** Stops Pods of a finished Job. */
async function finish(
  view: JobView,
  status: JobStatus,
  verdict: JobCondition,
  context: Context,
): Promise<Progress> {
  const { active, readyCount, terminatingCount, job } = view;
  const { removed, failure } = await removePods(job, active, context, { release: false });
  return {
    active: active.length - removed.length,
    ready: readyCount - removed.filter(isReady).length,
    terminating: terminatingCount + removed.length,
    verdict: removed.length === active.length ? verdict : undefined,
    status,
    failure,
  };
}

/** Creates or deletes Pods as needed. */
async function proceed(
  view: JobView,
  status: JobStatus,
  record: BackoffRecord,
  context: Context,
): Promise<Progress> {
  const { job, readyCount, terminatingCount } = view;
  const nowMs = context.clock.now();
  const isBeingDeleted = job.metadata.deletionTimestamp !== undefined;
  const plan = isBeingDeleted ? { create: [], remove: [] } : planJob(view, record, nowMs);
  const { removed, failure: removal } = await removePods(job, plan.remove, context, {
    release: true,
  });
  const { count, failure: creation } = await createPods(plan.create, job, context);
  const active = view.active.length - removed.length + count;
  const { completions } = job.spec;
  const isComplete =
    active === 0 &&
    (completions === undefined ? view.succeededCount > 0 : view.succeededCount >= completions);
  const reached = "Reached expected number of succeeded pods";
  return {
    active,
    ready: readyCount - removed.filter(isReady).length,
    terminating: terminatingCount + removed.length,
    verdict: isComplete
      ? condition("SuccessCriteriaMet", "CompletionsReached", reached, nowMs)
      : undefined,
    status: isComplete || isBeingDeleted ? status : withSuspension(job, status, context),
    failure: removal ?? creation,
    afterMs: plan.afterMs,
  };
}

/** Records when a Job is suspended or resumed. */
function withSuspension(job: Job, status: JobStatus, context: Context): JobStatus {
  const { recorder, clock, options } = context;
  const { conditions = [] } = status;
  const nowMs = clock.now();
  const old = findCondition(conditions, "Suspended");
  const isNow = isSuspended(job);
  if (isNow === (old?.status === "True")) return status;
  const others = conditions.filter((one) => one !== old);
  if (isNow) {
    recorder.event(job, "Normal", "Suspended", "Job suspended");
    const suspended = condition("Suspended", "JobSuspended", "Job suspended", nowMs);
    const { startTime, ...rest } = status;
    const keeps = startTime && !options.enabled("MutableSchedulingDirectivesForSuspendedJobs");
    return { ...rest, ...(keeps ? { startTime } : {}), conditions: [...others, suspended] };
  }
  recorder.event(job, "Normal", "Resumed", "Job resumed");
  const resumed = condition("Suspended", "JobResumed", "Job resumed", nowMs, "False");
  return { ...status, startTime: formatTime(nowMs), conditions: [...others, resumed] };
}

async function removePods(
  job: Job,
  toDelete: readonly Pod[],
  context: Context,
  { release }: { readonly release: boolean },
): Promise<{ removed: readonly Pod[]; failure: Error | undefined }> {
  const results = await Promise.allSettled(
    toDelete.map(async (pod) => {
      if (release) await releasePods([pod], context);
      await deletePod(pod, job, context).catch(ignoreNotFound);
    }),
  );
  const failed = results.find((result) => result.status === "rejected");
  return {
    removed: toDelete.filter((_, index) => results[index]?.status === "fulfilled"),
    failure: failed ? asError(failed.reason) : undefined,
  };
}

/**
 * Writes which Pods are counted, removes their finalizers, and then writes the sums: each Pod is
 * counted exactly once.
 */
async function track(
  view: JobView,
  progress: Progress,
  context: Context,
  onRecorded: () => void,
): Promise<void> {
  const { job, pods: all } = view;
  const { active, ready, terminating, verdict } = progress;
  const base = { ...progress.status, active, ready, terminating };
  const count = countPods(view, base, verdict, context.clock.now());
  let current = await write(job, count.status, context);
  onRecorded();
  const failure = await failureOf(releasePods(count.release, context));
  const freed = new Set(failure ? [] : count.release);
  const tracked = all.filter((pod) => isTracked(pod) && !freed.has(pod));
  const uids = new Set(tracked.map(({ metadata }) => metadata.uid));
  const summed = withoutReleased(current.status ?? {}, uids);
  const ended = count.end && !count.isPartial && !failure ? withEnd(summed, count.end) : undefined;
  current = await write(current, ended ?? summed, context);
  if (ended && count.end) recordEnd(current, count.end, context);
  if (failure) throw failure;
}

async function write(job: Job, status: JobStatus, { client }: Context): Promise<Job> {
  const desired = compact(status);
  if (deepEqual(desired, job.status)) return job;
  return await client.updateStatus(jobs, { ...job, status: desired });
}

function recordEnd(job: Job, end: JobCondition, { recorder }: Context): void {
  if (end.type === "Failed") {
    recorder.event(job, "Warning", end.reason ?? "", end.message ?? "");
    return;
  }
  const { completions } = job.spec;
  if (completions !== undefined && (job.status?.succeeded ?? 0) > completions) {
    const message = "Too many succeeded pods running after completion count reached";
    recorder.event(job, "Warning", "TooManySucceededPods", message);
  }
  recorder.event(job, "Normal", "Completed", "Job completed");
}

/** Removes the finalizer of Pods, so that they can be deleted. */
async function releasePods(all: readonly Pod[], { client }: Context): Promise<void> {
  const patch = { metadata: { "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } };
  const work = all.filter(isTracked).map(async (pod) => {
    await client.patch(pods, refOf(pod), patch, { type: "strategic" }).catch(ignoreNotFound);
  });
  for (const result of await Promise.allSettled(work)) {
    if (result.status === "rejected") throw result.reason;
  }
}

/** The key of the Job that tracks a Pod; the name is missing if the Pod has no controller. */
function trackedJob(pod: Pod): string[] {
  const owner = findControllerReference(pod);
  if (!isTracked(pod) || (owner && owner.kind !== jobs.kind)) return [];
  return [`${pod.metadata.namespace}/${owner?.name ?? ""}`];
}

/** Releases the Pods of a deleted Job, which are not counted. */
async function releaseDeleted(ref: ObjectRef, context: Context, records: Records): Promise<void> {
  records.delete(refKey(ref));
  const { namespace = "", name: job } = ref;
  const { store } = context.informers.informer(pods, { indexes: { trackedJob } });
  const strays = [`${namespace}/`, `${namespace}/${job}`].flatMap((value) =>
    store.byIndex("trackedJob", value),
  );
  await releasePods(strays, context);
}
