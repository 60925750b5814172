import assert from "node:assert/strict";
import { test } from "node:test";
import { plainJson } from "./plain-json.ts";

for (const [text, value] of [
  ['{"a": [1]}', { a: [1] }],
  ['\n\t{"a": "b"}\n', { a: "b" }],
  ["{a: 1}", undefined],
  ["a: 1", undefined],
  ["3", undefined],
  ["", undefined],
] as const) {
  test(`plainJson() of ${JSON.stringify(text)}`, () => {
    assert.deepEqual(plainJson(text), value);
  });
}
