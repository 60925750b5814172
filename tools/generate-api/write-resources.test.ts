import assert from "node:assert/strict";
import { test } from "node:test";
import { constantName } from "./write-resources.ts";

const cases: readonly [kind: string, name: string, expected: string][] = [
  ["Pod", "pods", "pods"],
  ["ReplicaSet", "replicasets", "replicaSets"],
  ["NetworkPolicy", "networkpolicies", "networkPolicies"],
  ["Endpoints", "endpoints", "endpoints"],
  ["CSIDriver", "csidrivers", "csiDrivers"],
  ["IPAddress", "ipaddresses", "ipAddresses"],
  ["APIService", "apiservices", "apiServices"],
  ["NodeMetrics", "nodes", "nodes"],
];

for (const [kind, name, expected] of cases) {
  test(`constantName() of ${name} is ${expected}`, () => {
    assert.equal(constantName({ kind, name }), expected);
  });
}
