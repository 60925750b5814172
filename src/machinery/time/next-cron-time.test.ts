import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCronSchedule } from "./cron-schedule.ts";
import { nextCronTime } from "./next-cron-time.ts";
import { formatZonedTime } from "./zoned-time.ts";

const cases = [
  ["*/1 * * * *", "", "2024-02-28T23:59:30Z", "2024-02-29T00:00:00Z"],
  ["0 0 * * *", "", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"],
  ["30 6 * * 1", "", "2024-02-28T00:00:00Z", "2024-03-04T06:30:00Z"],
  ["0 0 13 * 5", "", "2024-09-01T00:00:00Z", "2024-09-06T00:00:00Z"],
  ["0 0 30 2 *", "", "2024-09-01T00:00:00Z", undefined],
  ["@every 90s", "", "2024-09-01T00:00:00.5Z", "2024-09-01T00:01:30Z"],
  ["0 9 * * *", "America/New_York", "2024-07-01T12:00:00Z", "2024-07-01T09:00:00-04:00"],
  ["30 2 * * *", "America/New_York", "2024-03-10T05:00:00Z", "2024-03-11T02:30:00-04:00"],
  ["30 1 * * *", "America/New_York", "2024-11-03T05:30:00Z", "2024-11-03T01:30:00-05:00"],
  ["TZ=Asia/Kolkata 0 0 1 1 *", "", "2024-07-01T00:00:00Z", "2025-01-01T00:00:00+05:30"],
] as const;

for (const [text, zone, after, expected] of cases) {
  test(`nextCronTime of ${text} in ${zone || "UTC"} after ${after} is ${expected ?? "never"}`, () => {
    const schedule = parseCronSchedule(text);
    const ms = nextCronTime(schedule, Date.parse(after), zone);
    const shown = schedule.timeZone ?? zone;
    assert.equal(ms === undefined ? undefined : formatZonedTime(ms, shown), expected);
  });
}
