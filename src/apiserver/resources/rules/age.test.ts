import assert from "node:assert/strict";
import { test } from "node:test";
import { age, timeSince } from "./age.ts";

test("timeSince() returns <unknown> for a missing time", () => {
  const now = Date.UTC(2026, 0, 1);
  assert.equal(timeSince(undefined, now), "<unknown>");
  assert.equal(timeSince("2025-12-31T23:00:00Z", now), "60m");
  assert.equal(age({ metadata: { creationTimestamp: "2025-12-31T00:00:00Z" } }, now), "24h");
});
