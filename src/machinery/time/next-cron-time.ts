/** Upstream: vendor/github.com/robfig/cron/v3/spec.go, constantdelay.go. */
import type { CronFields, CronSchedule } from "./cron-schedule.ts";
import { startOfDay, type WallTime, wallTime } from "./zoned-time.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/**
 * Limit of the search (years): a schedule without a time in them never runs, such as one for
 * February 30.
 */
const yearsAhead = 5;

/**
 * The next time of a schedule after a time; undefined if there is none. The zone is used if the
 * schedule has none.
 */
export function nextCronTime(
  { everyMs, fields, timeZone }: CronSchedule,
  afterMs: number,
  zone = "",
): number | undefined {
  const startMs = Math.floor(afterMs / 1000) * 1000;
  if (everyMs !== undefined) return startMs + Math.max(1000, Math.floor(everyMs / 1000) * 1000);
  return fields && nextMatch(fields, startMs + 1000, timeZone ?? zone);
}

function nextMatch(fields: CronFields, fromMs: number, zone: string): number | undefined {
  const lastYear = wallTime(fromMs, zone).year + yearsAhead;
  let ms = fromMs;
  for (;;) {
    const shown = wallTime(ms, zone);
    const { year, month, day, hour, minute, second } = shown;
    if (year > lastYear) return undefined;
    if (!fields.month.values.has(month)) ms = startOfDay(year, month + 1, 1, zone);
    else if (!isDay(fields, shown)) ms = startOfDay(year, month, day + 1, zone);
    else if (!fields.hour.values.has(hour)) ms += hourMs - minute * minuteMs - second * 1000;
    else if (!fields.minute.values.has(minute) || second > 0) ms += minuteMs - second * 1000;
    else return ms;
  }
}

/** If one of the day fields is "*", both must match; else one match is sufficient. */
function isDay({ dayOfMonth, dayOfWeek }: CronFields, { year, month, day }: WallTime): boolean {
  const inMonth = dayOfMonth.values.has(day);
  const inWeek = dayOfWeek.values.has(new Date(Date.UTC(year, month - 1, day)).getUTCDay());
  return dayOfMonth.isStar || dayOfWeek.isStar ? inMonth && inWeek : inMonth || inWeek;
}
