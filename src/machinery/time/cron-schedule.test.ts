import assert from "node:assert/strict";
import { test } from "node:test";
import { type CronField, CronScheduleError, parseCronSchedule } from "./cron-schedule.ts";

const values = (field: CronField | undefined): number[] => [...(field?.values ?? [])];

const refused: readonly [text: string, message: string][] = [
  ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["@foo", "unrecognized descriptor: @foo"],
  ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
  ["TZ=Foo/Bar * * * * *", "provided bad location Foo/Bar: unknown time zone Foo/Bar"],
  ["TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["1/2/3 * * * *", "too many slashes: 1/2/3"],
  ["*/a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
  ["* * * foo *", 'failed to parse int from foo: strconv.Atoi: parsing "foo": invalid syntax'],
  ["", "empty spec string"],
];

for (const [text, message] of refused) {
  test(`parseCronSchedule() refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseCronSchedule(text), new CronScheduleError(message));
  });
}

test("parseCronSchedule() reads lists, ranges, steps and names", () => {
  const { fields } = parseCronSchedule("1,5-7 */8 1/15 JAN-mar Sun");
  assert.deepEqual(values(fields?.minute), [1, 5, 6, 7]);
  assert.deepEqual(values(fields?.hour), [0, 8, 16]);
  assert.deepEqual(values(fields?.dayOfMonth), [1, 16, 31]);
  assert.deepEqual(values(fields?.month), [1, 2, 3]);
  assert.deepEqual(values(fields?.dayOfWeek), [0]);
  assert.equal(fields?.hour.isStar, false);
});

test("parseCronSchedule() reads names of schedules, periods and zones", () => {
  const { fields } = parseCronSchedule("@weekly");
  assert.deepEqual(values(fields?.dayOfWeek), [0]);
  assert.equal(fields?.dayOfMonth.isStar, true);
  assert.deepEqual(parseCronSchedule("@every 1h30m"), { everyMs: 5_400_000 });
  assert.equal(parseCronSchedule("CRON_TZ=Asia/Tokyo 0 0 ? ? ?").timeZone, "Asia/Tokyo");
});
