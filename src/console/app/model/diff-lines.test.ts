import assert from "node:assert/strict";
import { test } from "node:test";
import { diffLines } from "./diff-lines.ts";

test("diffLines() shows changes with some lines around them", () => {
  const before = ["a", "b", "c", "d", "e", "f", "g"].join("\n");
  const after = ["a", "b", "c", "d", "x", "f", "g"].join("\n");
  const lines = diffLines(before, after, 1).map(({ kind, text }) => `${kind} ${text}`);
  assert.deepEqual(lines, ["skipped ⋯", "same d", "removed e", "added x", "same f", "skipped ⋯"]);
});
