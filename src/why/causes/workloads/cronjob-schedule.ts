import { type CronJob, cronJobs } from "#/api/batch/v1.ts";
import { CronScheduleError, parseCronSchedule } from "#/machinery/time/cron-schedule.ts";
import { isTimeZone } from "#/machinery/time/time-zones.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";

/** A schedule that was valid for the server that stored it, and is not for the controller. */
export const cronJobSchedule = cause<CronJob>({
  name: "cronjob-schedule",
  layer: "controllers",
  of: [cronJobs],
  find({ spec, metadata }, view) {
    const { schedule = "", timeZone } = spec ?? {};
    const event = view
      .events(cronJobs, { metadata })
      .find(({ reason }) =>
        [
          "UnknownTimeZone",
          "UnparseableSchedule",
          "InvalidSchedule",
          "UnParseableCronJobSchedule",
        ].includes(reason),
      );
    const problem = scheduleProblem(schedule);
    if (timeZone !== undefined && (!isTimeZone(timeZone) || event?.reason === "UnknownTimeZone")) {
      return {
        sentence: `its time zone "${timeZone}" is unknown, so it never runs`,
        fix: ["# correct spec.timeZone, such as Europe/Berlin"],
      };
    }
    if (problem === undefined) return undefined;
    return {
      sentence: `its schedule "${schedule}" is invalid, so it never runs: ${oneLine(problem, 160)}`,
      fix: ["# correct spec.schedule: minute hour day month weekday"],
    };
  },
});

function scheduleProblem(schedule: string): string | undefined {
  try {
    parseCronSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof CronScheduleError) return error.message;
    throw error;
  }
}
