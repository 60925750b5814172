import assert from "node:assert/strict";
import { test } from "node:test";
import { yamlParts } from "./yaml-parts.ts";

test("yamlParts() loses no letter", () => {
  const lines = [
    "a: 1",
    "  - name: x",
    '"a b": "c: d"',
    "- - 5",
    "k: |",
    "text with: colon",
    "",
    "# note",
    "url: http://x:1/y#z",
  ];
  for (const line of lines)
    assert.equal(
      yamlParts(line)
        .map(({ text }) => text)
        .join(""),
      line,
    );
  assert.deepEqual(
    yamlParts("  - name: x").map(({ look }) => look),
    ["mark", "key", "mark", "text"],
  );
});
