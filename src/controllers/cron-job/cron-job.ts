/** Upstream: pkg/controller/cronjob/cronjob_controllerv2.go. */
import { type CronJob, type CronJobStatus, cronJobs, type Job, jobs } from "#/api/batch/v1.ts";
import { refOf } from "#/client/object-key.ts";
import {
  type ControllerContext,
  controller,
  type ReconcileResult,
} from "#/controller/controller.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { controllerReference, isControlledBy } from "#/machinery/meta/owner-references.ts";
import {
  isAlreadyExists,
  isNamespaceTerminating,
  isNotFound,
} from "#/machinery/meta/status-error.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import {
  type CronSchedule,
  CronScheduleError,
  parseCronSchedule,
} from "#/machinery/time/cron-schedule.ts";
import { formatTime, parseTime } from "#/machinery/time/time.ts";
import { isTimeZone } from "#/machinery/time/time-zones.ts";
import { formatZonedTime } from "#/machinery/time/zoned-time.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { controlledObjects } from "../base/selected-objects.ts";
import { isFinishedJob } from "../job/job-view.ts";
import { findMissed, ScheduleError, untilNextMs } from "./missed-starts.ts";

type Context = ControllerContext<ManagerOptions>;

/** Starts Jobs by a schedule. */
export const cronJobController = controller<CronJob, ManagerOptions>({
  name: "cronjob-controller",
  for: cronJobs,
  owns: [jobs],
  workers: ({ flags }) => flags["concurrent-cron-job-syncs"],
  reconcile,
});

/** A CronJob with the status under construction. */
interface Draft {
  readonly cronJob: CronJob;
  readonly status: CronJobStatus;
}

async function reconcile(cronJob: CronJob, context: Context): Promise<ReconcileResult> {
  const { client, informers } = context;
  const draft: Draft = { cronJob, status: deepCopy(cronJob.status ?? {}) };
  const children = controlledObjects(jobs, cronJob, informers);
  const [outcome] = await Promise.allSettled([syncJobs(draft, children, context)]);
  await removeOld(draft, children, context);
  if (draft.status.active?.length === 0) delete draft.status.active;
  if (!deepEqual(draft.status, cronJob.status ?? {})) {
    await client.updateStatus(cronJobs, { ...cronJob, status: draft.status });
  }
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}

async function syncJobs(
  draft: Draft,
  children: readonly Job[],
  context: Context,
): Promise<ReconcileResult> {
  await countJobs(draft, children, context);
  return await start(draft, context);
}

/** Updates the list of active Jobs. */
async function countJobs(
  draft: Draft,
  children: readonly Job[],
  { client, recorder }: Context,
): Promise<void> {
  const { cronJob, status } = draft;
  for (const job of children) {
    const { name, uid } = job.metadata;
    const isActive = status.active?.some((one) => one.uid === uid) ?? false;
    if (!isFinishedJob(job)) {
      if (isActive) continue;
      const message = `Saw a job that the controller did not create or forgot: ${name}`;
      recorder.event(cronJob, "Warning", "UnexpectedJob", message);
      continue;
    }
    const isComplete = hasCondition(job.status?.conditions, "Complete");
    if (isActive) {
      removeActive(draft, uid);
      const message = `Saw completed job: ${name}, condition: ${isComplete ? "Complete" : "Failed"}`;
      recorder.event(cronJob, "Normal", "SawCompletedJob", message);
    }
    const { completionTime } = job.status ?? {};
    const { lastSuccessfulTime } = status;
    if (!isComplete || !completionTime) continue;
    if (!lastSuccessfulTime || parseTime(completionTime) > parseTime(lastSuccessfulTime)) {
      status.lastSuccessfulTime = completionTime;
    }
  }
  const known = new Set(children.map(({ metadata }) => metadata.uid));
  for (const { uid, name = "", namespace } of status.active ?? []) {
    if (known.has(uid)) continue;
    try {
      await client.get(jobs, { name, namespace });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      recorder.event(cronJob, "Normal", "MissingJob", `Active job went missing: ${name}`);
      removeActive(draft, uid);
    }
  }
}

function removeActive({ status }: Draft, uid: string | undefined): void {
  status.active = (status.active ?? []).filter((one) => one.uid !== uid);
}

/** Starts a due Job, unless a rule forbids it. */
async function start(draft: Draft, context: Context): Promise<ReconcileResult> {
  const { recorder, clock } = context;
  const { cronJob, status } = draft;
  const { metadata, spec } = cronJob;
  if (metadata.deletionTimestamp) return;
  const { timeZone } = spec;
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    const message = `invalid timeZone: "${timeZone}": unknown time zone ${timeZone}`;
    recorder.event(cronJob, "Warning", "UnknownTimeZone", message);
    return;
  }
  if (spec.suspend) return;
  const schedule = readSchedule(cronJob, context);
  if (!schedule) return;
  const nowMs = clock.now();
  const dueMs = findDue(draft, schedule, nowMs, context);
  if (dueMs === "invalid") return;
  const later = (): ReconcileResult => {
    const job = { ...cronJob, status };
    return { afterMs: Math.max(0, untilNextMs(job, schedule, nowMs)) };
  };
  if (dueMs === undefined || !(await mayStart(draft, dueMs, nowMs, context))) return later();
  return (await startJob(draft, dueMs, context)) ? later() : undefined;
}

function readSchedule(cronJob: CronJob, { recorder }: Context): CronSchedule | undefined {
  const { schedule } = cronJob.spec;
  if (schedule.includes("TZ")) {
    const message = `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`;
    recorder.event(cronJob, "Warning", "UnsupportedSchedule", message);
  }
  try {
    return parseCronSchedule(schedule);
  } catch (error) {
    if (!(error instanceof CronScheduleError)) throw error;
    const message = `unparseable schedule: ${JSON.stringify(schedule)} : ${error.message}`;
    recorder.event(cronJob, "Warning", "UnparseableSchedule", message);
    return undefined;
  }
}

function findDue(
  { cronJob, status }: Draft,
  schedule: CronSchedule,
  nowMs: number,
  { recorder }: Context,
): number | undefined | "invalid" {
  try {
    const job = { ...cronJob, status };
    const { lastMs, count } = findMissed(job, schedule, nowMs, { withDeadline: true });
    if (lastMs !== undefined && count === "many") {
      const message =
        "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
      recorder.event(cronJob, "Warning", "TooManyMissedTimes", message);
    }
    return lastMs;
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    const message = `invalid schedule: ${cronJob.spec.schedule} : ${error.message}`;
    recorder.event(cronJob, "Warning", "InvalidSchedule", message);
    return "invalid";
  }
}

/**
 * Whether a start is within its deadline, not done yet, and allowed by the concurrency policy;
 * replaced Jobs are deleted.
 */
async function mayStart(
  draft: Draft,
  dueMs: number,
  nowMs: number,
  context: Context,
): Promise<boolean> {
  const { cronJob, status } = draft;
  const { startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
  const { recorder, client } = context;
  if (startingDeadlineSeconds !== undefined && dueMs + startingDeadlineSeconds * 1000 < nowMs) {
    const time = new Date(dueMs).toUTCString().replace("GMT", "+0000");
    recorder.event(
      cronJob,
      "Warning",
      "MissSchedule",
      `Missed scheduled time to start a job: ${time}`,
    );
    return false;
  }
  const active = status.active ?? [];
  const { lastScheduleTime } = status;
  const isMade =
    active.some(({ name }) => name === jobName(cronJob, dueMs)) ||
    (lastScheduleTime !== undefined && parseTime(lastScheduleTime) === dueMs);
  if (isMade) return false;
  if (concurrencyPolicy === "Forbid" && active.length > 0) {
    const message =
      "Not starting job because prior execution is running and concurrency policy is Forbid";
    recorder.event(cronJob, "Normal", "JobAlreadyActive", message);
    return false;
  }
  if (concurrencyPolicy !== "Replace") return true;
  for (const { name = "", namespace } of active) {
    const job = await client.get(jobs, { name, namespace }).catch((error: Error) => {
      recorder.event(cronJob, "Warning", "FailedGet", `Get job: ${error.message}`);
      throw error;
    });
    if (!(await deleteJob(draft, job, context))) {
      throw new Error(`could not replace job ${namespace}/${name}`);
    }
  }
  return true;
}

const jobName = ({ metadata }: CronJob, dueMs: number): string =>
  `${metadata.name}-${Math.floor(dueMs / 60_000)}`;

const timestampAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/**
 * Creates the Job of a start, and records it in the status; false if it exists or can't be created.
 */
async function startJob(
  { cronJob, status }: Draft,
  dueMs: number,
  { client, recorder }: Context,
): Promise<boolean> {
  const { jobTemplate, timeZone = "" } = cronJob.spec;
  const { labels, annotations } = jobTemplate.metadata ?? {};
  const desired: Job = {
    metadata: {
      name: jobName(cronJob, dueMs),
      namespace: cronJob.metadata.namespace ?? "",
      ...(labels ? { labels } : {}),
      annotations: { ...annotations, [timestampAnnotation]: formatZonedTime(dueMs, timeZone) },
      ownerReferences: [controllerReference(cronJob, cronJobs)],
    },
    spec: jobTemplate.spec,
  };
  let job: Job;
  try {
    job = await client.create(jobs, desired);
    recorder.event(cronJob, "Normal", "SuccessfulCreate", `Created job ${job.metadata.name}`);
  } catch (error) {
    if (!isAlreadyExists(error)) {
      const message = `Error creating job: ${(error as Error).message}`;
      if (!isNamespaceTerminating(error))
        recorder.event(cronJob, "Warning", "FailedCreate", message);
      throw error;
    }
    job = await client.get(jobs, refOf(desired));
    const isKnown = status.active?.some(({ uid }) => uid === job.metadata.uid);
    if (!isControlledBy(job, cronJob) || isKnown) return false;
  }
  const { name, namespace, uid, resourceVersion } = job.metadata;
  status.active = [
    ...(status.active ?? []),
    {
      kind: "Job",
      apiVersion: "batch/v1",
      ...(name ? { name } : {}),
      ...(namespace ? { namespace } : {}),
      ...(uid ? { uid } : {}),
      ...(resourceVersion ? { resourceVersion } : {}),
    },
  ];
  status.lastScheduleTime = formatTime(dueMs);
  return true;
}

async function deleteJob(draft: Draft, job: Job, { client, recorder }: Context): Promise<boolean> {
  const { cronJob } = draft;
  const { name, uid } = job.metadata;
  try {
    await client.delete(jobs, refOf(job), { propagationPolicy: "Background" });
  } catch (error) {
    recorder.event(cronJob, "Warning", "FailedDelete", `Deleted job: ${(error as Error).message}`);
    return false;
  }
  removeActive(draft, uid);
  recorder.event(cronJob, "Normal", "SuccessfulDelete", `Deleted job ${name}`);
  return true;
}

/** Deletes finished jobs beyond the limits, the oldest first. */
async function removeOld(draft: Draft, children: readonly Job[], context: Context): Promise<void> {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = draft.cronJob.spec;
  const limits = [
    ["Complete", successfulJobsHistoryLimit],
    ["Failed", failedJobsHistoryLimit],
  ] as const;
  for (const [type, limit] of limits) {
    if (limit === undefined) continue;
    const ended = children.filter(({ status }) => hasCondition(status?.conditions, type));
    ended.sort(byStart);
    const count = Math.max(0, ended.length - limit);
    for (const job of ended.slice(0, count)) await deleteJob(draft, job, context);
  }
}

/** Earlier starts first, those never started last. */
function byStart(a: Job, b: Job): number {
  const [first, second] = [a.status?.startTime, b.status?.startTime];
  if (first === second) return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
  if (first === undefined || second === undefined) return first === undefined ? 1 : -1;
  return parseTime(first) - parseTime(second);
}
