import assert from "node:assert/strict";
import { test } from "node:test";
import { firstByKey, lastByKey, repeatedIndices } from "./by-key.ts";

const items = [
  { key: "a", n: 1 },
  { key: "b", n: 2 },
  { key: "a", n: 3 },
];

test("firstByKey() and lastByKey() return what find() and findLast() do", () => {
  const first = firstByKey(items, ({ key }) => key);
  const last = lastByKey(items, ({ key }) => key);
  for (const key of ["a", "b", "c"]) {
    assert.equal(
      first.get(key),
      items.find((item) => item.key === key),
    );
    assert.equal(
      last.get(key),
      items.findLast((item) => item.key === key),
    );
  }
});

test("repeatedIndices() returns the indices of values that came before", () => {
  assert.deepEqual([...repeatedIndices(["a", "b", "a", "a", "c", "b"])], [2, 3, 5]);
  assert.deepEqual([...repeatedIndices([])], []);
});
