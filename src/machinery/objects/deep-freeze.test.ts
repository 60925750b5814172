import assert from "node:assert/strict";
import { test } from "node:test";
import { deepFreeze } from "./deep-freeze.ts";

test("deepFreeze() freezes every level", () => {
  const frozen = deepFreeze({ a: [{ b: 1 }], c: null, d: new Uint8Array(1) });
  assert.throws(() => Object.assign(frozen.a[0] ?? {}, { b: 2 }), TypeError);
  assert.throws(() => frozen.a.push({ b: 3 }), TypeError);
  assert.deepEqual(frozen.a, [{ b: 1 }]);
});
