import assert from "node:assert/strict";
import { test } from "node:test";
import { LruMap } from "./lru-map.ts";

test("LruMap drops the least recently used entry", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.get("a");
  map.set("c", 3);
  assert.deepEqual([map.get("a"), map.get("b"), map.get("c"), map.size], [1, undefined, 3, 2]);
});
