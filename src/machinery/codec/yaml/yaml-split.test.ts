import assert from "node:assert/strict";
import test from "node:test";
import { DecodeError } from "../shape/decode-error.ts";
import { splitYamlDocuments } from "./yaml-split.ts";

const cases: { text: string; documents: string[] }[] = [
  { text: "", documents: [] },
  { text: "a: 1", documents: ["a: 1"] },
  { text: "a: 1\n---\nb: 2\n", documents: ["a: 1\n", "b: 2\n"] },
  { text: "---\na: 1\n--- # next\nb: 2\n---\n", documents: ["a: 1\n", "b: 2\n"] },
  {
    text: "a: |\n  ---\nb: 1\r\n---\r\nc: 2\r\n",
    documents: ["a: |\n  ---\nb: 1\r\n", "c: 2\r\n"],
  },
];
for (const { text, documents } of cases) {
  test(`splitYamlDocuments() splits ${JSON.stringify(text)}`, () => {
    assert.deepEqual(splitYamlDocuments(text), documents);
  });
}

test("splitYamlDocuments() refuses text after the dashes", () => {
  const message = "invalid Yaml document separator: x";
  assert.throws(() => splitYamlDocuments("a: 1\n---x\n"), new DecodeError(message, "syntax"));
});
