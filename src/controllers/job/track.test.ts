import assert from "node:assert/strict";
import { test } from "node:test";
import { withEnd } from "./track.ts";

for (const { startTime, completionTime } of [
  { startTime: "2025-01-01T00:00:00Z", completionTime: "2025-01-01T01:00:00Z" },
  { startTime: "2025-01-01T02:00:00Z", completionTime: "2025-01-01T02:00:00Z" },
]) {
  test(`withEnd() completes a Job of ${startTime} at ${completionTime}, not before its start`, () => {
    const end = { type: "Complete", status: "True", lastTransitionTime: "2025-01-01T01:00:00Z" };
    assert.equal(withEnd({ startTime }, end)?.completionTime, completionTime);
  });
}
