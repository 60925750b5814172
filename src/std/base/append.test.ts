import assert from "node:assert/strict";
import { test } from "node:test";
import { append } from "./append.ts";

test("append() adds more items than a call has room for", () => {
  const list = [0];
  const items = Array.from({ length: 1_000_000 }, (_, index) => index + 1);
  append(list, items);
  assert.deepEqual([list.length, list[1], list.at(-1)], [1_000_001, 1, 1_000_000]);
});
