import assert from "node:assert/strict";
import { test } from "node:test";
import { choosePool, defaultPool, poolsOverlap } from "./load-balancer-pool.ts";

test("choosePool() gives a cluster the same pool at each start, and none the first cluster's", () => {
  assert.equal(choosePool("k8ts", [4]), defaultPool);
  for (const name of ["a", "dev", "my-cluster"]) {
    assert.match(choosePool(name, [4]), /^198\.1[89]\.\d+\.0\/24$/);
    assert.equal(choosePool(name, [4]), choosePool(name, [4]));
    assert.notEqual(choosePool(name, [4]), defaultPool);
  }
});

test("choosePool() has a pool of each family, none of which another cluster has", () => {
  assert.equal(choosePool("k8ts", [6, 4]), "fd6b:3874:7301::/112,198.18.0.0/24");
  const first = choosePool("dev", [4, 6]);
  assert.match(first, /^198\.1[89]\.\d+\.0\/24,fd6b:3874:7301:[0-9a-f]+::\/112$/);
  assert.equal(poolsOverlap(first, choosePool("dev", [6], [first])), false);
});

test("choosePool() passes over pools that other clusters have", () => {
  const first = choosePool("dev", [4]);
  const second = choosePool("dev", [4], [first]);
  assert.notEqual(second, first);
  assert.equal(new Set([first, second, choosePool("dev", [4], [first, second])]).size, 3);
});

test("choosePool() passes over pools that overlap with those of other clusters", () => {
  const first = choosePool("dev", [4]);
  const part = first.replace(".0/24", ".128/25");
  assert.notEqual(choosePool("dev", [4], [part]), first);
});

for (const { a, b, overlap } of [
  { a: "198.18.1.0/24", b: "198.18.1.0/24", overlap: true },
  { a: "198.18.1.0/25", b: "198.18.0.0/16", overlap: true },
  { a: "198.18.1.0/24", b: "198.18.2.0/24", overlap: false },
  { a: "", b: "198.18.2.0/24", overlap: false },
]) {
  test(`poolsOverlap(): ${a} and ${b}: ${overlap}`, () =>
    assert.equal(poolsOverlap(a, b), overlap));
}
