import assert from "node:assert/strict";
import { test } from "node:test";
import { choosePool, defaultPool, poolsOverlap } from "./load-balancer-pool.ts";

test("choosePool() gives a cluster the same pool at each start, and none the first cluster's", () => {
  assert.equal(choosePool("k8ts"), defaultPool);
  for (const name of ["a", "dev", "my-cluster"]) {
    assert.match(choosePool(name), /^198\.1[89]\.\d+\.0\/24$/);
    assert.equal(choosePool(name), choosePool(name));
    assert.notEqual(choosePool(name), defaultPool);
  }
});

test("choosePool() passes over pools that other clusters have", () => {
  const first = choosePool("dev");
  const second = choosePool("dev", [first]);
  assert.notEqual(second, first);
  assert.equal(new Set([first, second, choosePool("dev", [first, second])]).size, 3);
});

test("choosePool() passes over pools that overlap with those of other clusters", () => {
  const first = choosePool("dev");
  const part = first.replace(".0/24", ".128/25");
  assert.notEqual(choosePool("dev", [part]), first);
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
