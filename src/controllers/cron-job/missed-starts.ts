/** Upstream: pkg/controller/cronjob/utils.go (mostRecentScheduleTime). */
import type { CronJob } from "#/api/batch/v1.ts";
import type { CronSchedule } from "#/machinery/time/cron-schedule.ts";
import { nextCronTime } from "#/machinery/time/next-cron-time.ts";
import { parseTime } from "#/machinery/time/time.ts";

/** The last start that is due but not done. */
interface MissedStarts {
  readonly lastMs: number | undefined;
  /** Start of the searched time range. */
  readonly sinceMs: number;
  readonly count: "none" | "few" | "many";
}

/** A schedule that can be parsed but has no valid times. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
}

/** Number of missed starts above which an event is recorded. */
const few = 100;
const never = 8.64e15;
const tooClose = "time difference between two schedules is less than 1 second";

/** Finds starts that were missed since the last one, or within the deadline if there is one. */
export function findMissed(
  { metadata, spec, status }: CronJob,
  schedule: CronSchedule,
  nowMs: number,
  { withDeadline }: { readonly withDeadline: boolean },
): MissedStarts {
  const last = status?.lastScheduleTime ?? metadata.creationTimestamp;
  const deadlineMs =
    withDeadline && spec.startingDeadlineSeconds !== undefined
      ? nowMs - spec.startingDeadlineSeconds * 1000
      : -never;
  const sinceMs = Math.max(deadlineMs, last ? parseTime(last) : 0);
  const next = (ms: number): number => {
    const found = nextCronTime(schedule, ms, spec.timeZone ?? "");
    // Such as the 31st of February: upstream finds the same time repeatedly.
    if (found === undefined) throw new ScheduleError(tooClose);
    return found;
  };
  const first = next(sinceMs);
  if (nowMs < first) return { lastMs: undefined, sinceMs, count: "none" };
  const second = next(first);
  if (nowMs < second) return { lastMs: first, sinceMs, count: "none" };
  const periodMs = Math.round((second - first) / 1000) * 1000;
  if (periodMs < 1000) {
    throw new ScheduleError(tooClose);
  }
  const missed = Math.floor((nowMs - first) / periodMs) + 1;
  let lastMs: number | undefined;
  // Near the end of the missed range; the period between two starts may vary.
  for (let ms = next(first + (missed - 2) * periodMs); ms <= nowMs; ms = next(ms)) lastMs = ms;
  return { lastMs, sinceMs, count: missed > few ? "many" : "few" };
}

/** Added to the delay (ms), so that the next start is due then. */
const slackMs = 100;

/** Time until the next start. */
export function untilNextMs(cronJob: CronJob, schedule: CronSchedule, nowMs: number): number {
  const next = (ms: number): number =>
    (nextCronTime(schedule, ms, cronJob.spec.timeZone ?? "") ?? never) + slackMs - nowMs;
  try {
    const { lastMs, sinceMs, count } = findMissed(cronJob, schedule, nowMs, {
      withDeadline: false,
    });
    return next(lastMs ?? (count === "none" ? sinceMs : nowMs));
  } catch (error) {
    if (error instanceof ScheduleError) return next(nowMs);
    throw error;
  }
}
