import assert from "node:assert/strict";
import { test } from "node:test";
import { choosePool, defaultPool } from "./load-balancer-pool.ts";

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
