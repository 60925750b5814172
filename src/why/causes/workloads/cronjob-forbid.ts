import { type CronJob, cronJobs } from "#/api/batch/v1.ts";
import { cause } from "../../base/cause.ts";
import { names, timeOf } from "../../base/text.ts";
import { eventLine } from "../../facts/pod-events.ts";

export const cronJobForbid = cause<CronJob>({
  name: "cronjob-still-active",
  layer: "controllers",
  of: [cronJobs],
  find({ spec, status, metadata }, view) {
    const active = (status?.active ?? []).map(({ name = "" }) => name);
    const event = view
      .events(cronJobs, { metadata })
      .find(({ reason }) => reason === "JobAlreadyActive");
    if (spec?.concurrencyPolicy !== "Forbid" || active.length === 0 || !event) return undefined;
    return {
      sentence: `it starts no new Job while ${names(active.map((name) => `job/${name}`))} still runs (concurrencyPolicy Forbid)`,
      since: timeOf(event.firstMs),
      evidence: [eventLine(event, view.nowMs)],
      fix: active.slice(0, 1).map((name) => `kubectl why job/${name}`),
    };
  },
});
