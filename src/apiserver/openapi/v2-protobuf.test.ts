import assert from "node:assert/strict";
import { test } from "node:test";
import { runSteps } from "#/std/base/steps.ts";
import { encodeV2Protobuf } from "./v2-protobuf.ts";

const info = "12060a0154120131";
const cases = [
  { name: "a document without entries", document: {}, want: "42004a00" },
  {
    name: "a definition",
    document: { definitions: new Map([["A", '{"type":"object"}']]) },
    want: "42004a120a100a0141120bb201080a066f626a656374",
  },
];

for (const { name, document, want } of cases) {
  test(`encodeV2Protobuf() writes ${name}`, () => {
    const head = { swagger: "2.0", info: { title: "T", version: "1" } };
    const empty = { head, paths: new Map(), definitions: new Map(), tail: {} };
    const bytes = runSteps(encodeV2Protobuf({ ...empty, ...document }));
    assert.equal(Buffer.from(bytes).toString("hex"), `0a03322e30${info}${want}`);
  });
}
