import { type CronJob, cronJobs } from "#/api/batch/v1.ts";
import { cause } from "../../base/cause.ts";
import { timeOf } from "../../base/text.ts";
import { eventLine } from "../../facts/pod-events.ts";

/** Runs that take longer than the schedule leaves them: each is deleted for the next one. */
export const cronJobReplaced = cause<CronJob>({
  name: "cronjob-replaced",
  layer: "controllers",
  of: [cronJobs],
  find({ spec, status, metadata }, view) {
    if (spec?.concurrencyPolicy !== "Replace") return undefined;
    const event = view
      .events(cronJobs, { metadata })
      .find(({ reason }) => reason === "SuccessfulDelete");
    const doneMs = Date.parse(status?.lastSuccessfulTime ?? "") || 0;
    if (!event || event.lastMs <= doneMs) return undefined;
    return {
      sentence: `a run takes longer than its schedule "${spec.schedule}" leaves it: the next one replaces it before it is done (concurrencyPolicy Replace)`,
      since: timeOf(event.firstMs),
      evidence: [eventLine(event, view.nowMs)],
      fix: ["# run it more rarely, or set spec.concurrencyPolicy to Forbid"],
    };
  },
});
