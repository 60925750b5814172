import assert from "node:assert/strict";
import { test } from "node:test";
import { shareFields } from "./fields-v1.ts";

const fieldsOf = (prefix: string, count: number) => ({
  "f:data": Object.fromEntries(Array.from({ length: count }, (_, n) => [`f:${prefix}-${n}`, {}])),
});

for (const { name, count, isShared } of [
  { name: "one object for equal sets", count: 10, isShared: true },
  { name: "none of large sets, which would fill the memory", count: 1_000, isShared: false },
]) {
  test(`shareFields keeps ${name}`, () => {
    const first = shareFields(fieldsOf("key", count));
    assert.equal(shareFields(fieldsOf("key", count)) === first, isShared);
  });
}
