import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMicroTime, formatTime, parseMicroTime, parseTime } from "./time.ts";

test("formatTime() truncates to seconds, formatMicroTime() to microseconds", () => {
  const ms = Date.UTC(2026, 10, 15, 21, 0, 5, 678);
  assert.equal(formatTime(ms), "2026-11-15T21:00:05Z");
  assert.equal(formatTime(-1), "1969-12-31T23:59:59Z");
  assert.equal(formatMicroTime(ms + 0.25), "2026-11-15T21:00:05.678250Z");
  assert.equal(formatMicroTime(ms), "2026-11-15T21:00:05.678000Z");
});

test("parseTime() reads what the API accepts", () => {
  assert.equal(parseTime("2026-11-15T21:00:05Z"), Date.UTC(2026, 10, 15, 21, 0, 5));
  assert.equal(parseTime("2026-11-15T22:00:05.5+01:00"), Date.UTC(2026, 10, 15, 21, 0, 5, 500));
  assert.equal(
    parseMicroTime("2026-11-15T21:00:05.678250Z"),
    Date.UTC(2026, 10, 15, 21, 0, 5, 678) + 0.25,
  );
  assert.throws(() => parseTime("yesterday"), {
    message:
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
  });
  assert.throws(() => parseMicroTime("2026-11-15T21:00:05Z"), {
    message:
      'parsing time "2026-11-15T21:00:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  });
});
