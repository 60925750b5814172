import assert from "node:assert/strict";
import { test } from "node:test";
import { dropNulls } from "./drop-nulls.ts";

test("dropNulls() removes null fields at every level and does not change its input", () => {
  const slice = {
    metadata: { creationTimestamp: null, labels: { a: "b" } },
    endpoints: [{ addresses: null, conditions: {} }, { addresses: ["10.0.0.1"] }],
    ports: null,
  };
  const before = structuredClone(slice);
  assert.deepEqual(dropNulls(slice), {
    metadata: { labels: { a: "b" } },
    endpoints: [{ conditions: {} }, { addresses: ["10.0.0.1"] }],
  });
  assert.deepEqual(slice, before);
});

test("dropNulls() returns the same value without nulls, and keeps the items of lists", () => {
  const object = { items: [1, null, "a"], map: {}, list: [] };
  assert.equal(dropNulls(object), object);
  assert.equal(dropNulls(null), null);
  assert.equal(dropNulls("text"), "text");
});
