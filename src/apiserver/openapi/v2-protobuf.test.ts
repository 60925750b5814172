import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeV2Protobuf } from "./v2-protobuf.ts";

const info = "12060a0154120131";
const cases = [
  { name: "the head of a document", document: {}, want: "" },
  {
    name: "a definition",
    document: { definitions: { A: { type: "object" } } },
    want: "4a120a100a0141120bb201080a066f626a656374",
  },
];

for (const { name, document, want } of cases) {
  test(`encodeV2Protobuf() writes ${name}`, () => {
    const bytes = encodeV2Protobuf({
      swagger: "2.0",
      info: { title: "T", version: "1" },
      ...document,
    });
    assert.equal(Buffer.from(bytes).toString("hex"), `0a03322e30${info}${want}`);
  });
}
