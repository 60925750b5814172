import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseCluster, isClusterName } from "./choose-cluster.ts";

const here = ["k8ts", "ux", "../etc"];
const cases: readonly (readonly [string, string | undefined, string | undefined, string])[] = [
  ["", undefined, undefined, "k8ts"],
  ["a", "b", "ux", "a"],
  ["", "b", "ux", "b"],
  ["", "", "ux", "ux"],
  ["", undefined, "ux", "ux"],
  ["", undefined, "kind-kind", "k8ts"],
  ["", undefined, "../etc", "k8ts"],
];
for (const [flag, environment, context, expected] of cases) {
  test(`chooseCluster() with flag "${flag}", variable ${environment}, context ${context}: ${expected}`, () => {
    const exists = (name: string) => here.includes(name);
    assert.equal(chooseCluster({ flag, environment, context, exists, fallback: "k8ts" }), expected);
  });
}

test("isClusterName() accepts names of hosts only", () => {
  const names = ["a", "k8ts", "a-b", "", "-a", "a-", "A", "a_b", "../x", "x".repeat(33)];
  assert.deepEqual(names.filter(isClusterName), ["a", "k8ts", "a-b"]);
});
