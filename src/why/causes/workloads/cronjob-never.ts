import { type CronJob, cronJobs } from "#/api/batch/v1.ts";
import { CronScheduleError, parseCronSchedule } from "#/machinery/time/cron-schedule.ts";
import { nextCronTime } from "#/machinery/time/next-cron-time.ts";
import { isTimeZone } from "#/machinery/time/time-zones.ts";
import { cause } from "../../base/cause.ts";

/** A valid schedule without a time, such as one for February 30. */
export const cronJobNever = cause<CronJob>({
  name: "cronjob-never-due",
  layer: "controllers",
  of: [cronJobs],
  find({ spec }, { nowMs }) {
    const { schedule = "", timeZone } = spec ?? {};
    if (timeZone !== undefined && !isTimeZone(timeZone)) return undefined;
    try {
      if (nextCronTime(parseCronSchedule(schedule), nowMs, timeZone) !== undefined)
        return undefined;
    } catch (error) {
      if (error instanceof CronScheduleError) return undefined;
      throw error;
    }
    return {
      sentence: `its schedule "${schedule}" has no time within the next years, so it never runs`,
      fix: ["# correct spec.schedule: minute hour day month weekday"],
    };
  },
});
