import assert from "node:assert/strict";
import { test } from "node:test";
import { unifiedDiff } from "./unified-diff.ts";

const lines = (...items: readonly (string | number)[]): string => items.join("\n");

const cases = [
  { name: "nothing for equal texts", before: "a\nb", after: "a\nb", diff: "" },
  {
    name: "a changed line with its context",
    before: lines(1, 2, 3, 4, 5, 6, 7, 8, 9),
    after: lines(1, 2, 3, 4, "x", 6, 7, 8, 9),
    diff: "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n",
  },
  { name: "a line alone", before: "a", after: "b", diff: "@@ -1 +1 @@\n-a\n+b\n" },
  {
    name: "added lines",
    before: lines("a", "b"),
    after: lines("a", "x", "y", "b"),
    diff: "@@ -1,2 +1,4 @@\n a\n+x\n+y\n b\n",
  },
  {
    name: "two groups for changes that are far apart",
    before: lines("a", 1, 2, 3, 4, 5, 6, 7, "b"),
    after: lines("x", 1, 2, 3, 4, 5, 6, 7, "y"),
    diff: "@@ -1,4 +1,4 @@\n-a\n+x\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+y\n",
  },
];

for (const { name, before, after, diff } of cases) {
  test(`unifiedDiff() gives ${name}`, () => assert.equal(unifiedDiff(before, after), diff));
}
