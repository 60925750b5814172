import assert from "node:assert/strict";
import { test } from "node:test";
import { messageOf } from "../../base/errors.ts";
import { readNode } from "./read-nodes.ts";

/** Texts, and the lines that goyaml v3 reports. */
const cases: readonly (readonly [text: string, line: number])[] = [
  ["a: b\n- c\n", 1],
  ["k: v\ndata:\n  a: b\n - c\n", 3],
  ["k: v\nspec:\n  selector:\n    app: x\n    - name: http\n      port: 1\n  type: y\n", 3],
];

for (const [text, line] of cases) {
  test(`readNode() names line ${line} of ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => readNode(text),
      (error) =>
        messageOf(error) === `MalformedYAMLError: yaml: line ${line}: did not find expected key`,
    );
  });
}
