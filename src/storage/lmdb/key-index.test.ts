import assert from "node:assert/strict";
import test from "node:test";
import { randomInt, seededRandom } from "#/std/base/random.ts";
import { compareKeys } from "../base/key-order.ts";
import { KeyIndex } from "./key-index.ts";

test("KeyIndex keeps thousands of keys in order while keys are added and removed", () => {
  const random = seededRandom(1);
  const index = new KeyIndex<{ readonly key: string }>();
  const expected = new Set<string>();
  for (let step = 0; step < 20_000; step++) {
    const key = `/${randomInt(random, 5)}/${randomInt(random, 1000)}`;
    if (expected.has(key)) {
      expected.delete(key);
      index.delete(key);
    } else {
      expected.add(key);
      index.add({ key });
    }
    assert.equal(index.find(key)?.key, expected.has(key) ? key : undefined);
  }
  const sorted = [...expected].toSorted(compareKeys);
  const keys = (prefix: string, after?: string): string[] =>
    index.range(prefix, after).map((item) => item.key);
  assert.deepEqual(keys(""), sorted);
  assert.deepEqual(
    keys("/3/"),
    sorted.filter((key) => key.startsWith("/3/")),
  );
  assert.deepEqual(
    keys("/3/", "/3/5"),
    sorted.filter((key) => key.startsWith("/3/") && key > "/3/5"),
  );
});

test("KeyIndex without keys has none", () => {
  const index = new KeyIndex<{ readonly key: string }>();
  index.delete("/a");
  assert.equal(index.find("/a"), undefined);
  assert.deepEqual(index.range("/"), []);
});
