import { type CronJob, cronJobs, type Job, jobs } from "#/api/batch/v1.ts";
import { findCondition, hasCondition } from "#/machinery/meta/conditions.ts";
import { isControlledBy } from "#/machinery/meta/owner-references.ts";
import { parseCronSchedule } from "#/machinery/time/cron-schedule.ts";
import { nextCronTime } from "#/machinery/time/next-cron-time.ts";
import { kindRules } from "../base/kind-rules.ts";
import { count } from "../base/text.ts";
import type { View } from "../base/view.ts";
import { ownedPods, podsBelow } from "../facts/owned-pods.ts";
import { suspendedText } from "../facts/suspended.ts";

export const jobRules = kindRules<Job>({
  resource: jobs,
  below(job, view) {
    if (hasCondition(job.status?.conditions, "Complete")) return [];
    const own = ownedPods(job, job.spec?.selector, view);
    return podsBelow(own.toSorted((a, b) => createdMs(b) - createdMs(a)));
  },
  unfinished({ spec, status }) {
    const { conditions, active = 0, succeeded = 0, startTime } = status ?? {};
    if (hasCondition(conditions, "Complete") || hasCondition(conditions, "Failed"))
      return undefined;
    const of = spec?.completions ?? 1;
    return {
      layer: active > 0 ? "containers" : "controllers",
      sentence:
        active > 0
          ? `${count(active, "Pod")} at work, ${succeeded} of ${of} done`
          : `none of its Pods runs, ${succeeded} of ${of} done`,
      since: startTime,
    };
  },
  healthy: ({ status }) =>
    `it is complete: ${count(status?.succeeded ?? 0, "Pod has", "Pods have")} succeeded`,
});

const createdMs = ({ metadata }: { metadata: { creationTimestamp?: string } }): number =>
  Date.parse(metadata.creationTimestamp ?? "") || 0;

/** A CronJob that runs is well, whatever its next Job will do; the latest counts. */
export const cronJobRules = kindRules<CronJob>({
  resource: cronJobs,
  below(cronJob, view) {
    const latest = latestJob(cronJob, view);
    return latest ? [{ resource: jobs, object: latest }] : [];
  },
  healthy(cronJob, view) {
    const { spec, status } = cronJob;
    if (spec?.suspend) return suspendedText;
    const next = nextTime(cronJob, view.nowMs);
    const last = status?.lastSuccessfulTime
      ? `last succeeded at ${status.lastSuccessfulTime}`
      : status?.lastScheduleTime
        ? `last ran at ${status.lastScheduleTime} and has not succeeded yet`
        : "has not run yet";
    return `its schedule "${spec?.schedule}" is valid, it ${last}${next ? `, and it next runs at ${next}` : ""}`;
  },
});

function latestJob(cronJob: CronJob, view: View): Job | undefined {
  const { namespace, uid = "" } = cronJob.metadata;
  return (view.list(jobs, { namespace }) ?? [])
    .filter((job) => isControlledBy(job, { metadata: { uid } }))
    .sort((a, b) => createdMs(b) - createdMs(a))
    .find((job) => findCondition(job.status?.conditions, "Suspended") === undefined);
}

function nextTime({ spec }: CronJob, nowMs: number): string | undefined {
  const nextMs = nextCronTime(parseCronSchedule(spec?.schedule ?? ""), nowMs, spec?.timeZone);
  return nextMs === undefined ? undefined : new Date(nextMs).toISOString();
}
