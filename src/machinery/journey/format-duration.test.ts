import assert from "node:assert/strict";
import { test } from "node:test";
import { duration } from "./format-duration.ts";

for (const [ms, text] of [
  [0.04, "0.0ms"],
  [9.94, "9.9ms"],
  [12.4, "12ms"],
  [1840, "1.84s"],
  [185_000, "3m05s"],
  [7_500_000, "2h05m"],
  [-12, "-12ms"],
] as const) {
  test(`duration() reads ${ms} ms as ${text}`, () => assert.equal(duration(ms), text));
}
