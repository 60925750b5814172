import assert from "node:assert/strict";
import { test } from "node:test";
import { DurationError, formatNanos, parseNanos } from "./nanoseconds.ts";
import recorded from "./recorded/durations.json" with { type: "json" };

for (const { text, error, nanos, formatted } of recorded as Record<string, string>[]) {
  test(`parseNanos() agrees with Go on ${JSON.stringify(text)}`, () => {
    const parse = () => parseNanos(text ?? "");
    if (error !== undefined) {
      assert.throws(parse, new DurationError(error));
      return;
    }
    assert.equal(parse().toString(), nanos);
    assert.equal(formatNanos(parse()), formatted);
  });
}
