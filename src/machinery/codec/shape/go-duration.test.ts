import assert from "node:assert/strict";
import { test } from "node:test";
import recorded from "../recorded/durations.json" with { type: "json" };
import { DurationError, formatDuration, parseDuration } from "./go-duration.ts";

for (const { text, error, nanos, formatted } of recorded as Record<string, string>[]) {
  test(`parseDuration() agrees with Go on ${JSON.stringify(text)}`, () => {
    const parse = () => parseDuration(text ?? "");
    if (error !== undefined) {
      assert.throws(parse, new DurationError(error));
      return;
    }
    assert.equal(parse().toString(), nanos);
    assert.equal(formatDuration(parse()), formatted);
  });
}
