import { type CronJob, cronJobs } from "#/api/batch/v1.ts";
import { cause } from "../../base/cause.ts";
import { timeOf } from "../../base/text.ts";
import { eventLine } from "../../facts/pod-events.ts";

const reasons = new Set(["MissSchedule", "TooManyMissedTimes"]);

export const cronJobMissed = cause<CronJob>({
  name: "cronjob-missed",
  layer: "controllers",
  of: [cronJobs],
  find({ spec, status, metadata }, view) {
    const event = view.events(cronJobs, { metadata }).find(({ reason }) => reasons.has(reason));
    const lastMs = Date.parse(status?.lastScheduleTime ?? "") || 0;
    if (!event || event.lastMs < lastMs) return undefined;
    const { startingDeadlineSeconds: deadline } = spec ?? {};
    const why =
      event.reason === "TooManyMissedTimes"
        ? "it has missed too many start times since it last ran (more than 100)"
        : `it has missed its last start time${deadline === undefined ? "" : ` by more than its startingDeadlineSeconds of ${deadline} s`}`;
    return {
      sentence: why,
      since: timeOf(event.firstMs),
      evidence: [eventLine(event, view.nowMs)],
      fix: [
        "# set startingDeadlineSeconds to more than the delay (at least 10 s), and check that the controllers run",
      ],
    };
  },
});
