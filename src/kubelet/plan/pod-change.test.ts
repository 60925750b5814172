import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { testPod } from "#/testing/pod-fixtures.ts";
import { needsSync } from "./pod-change.ts";

const gated = testPod({ readinessGates: [{ conditionType: "example.org/up" }] });
const withCondition = (pod: Pod, type: string, status: "True" | "False"): Pod => ({
  ...pod,
  status: { phase: "Running", conditions: [{ type, status }] },
});
const pod = testPod({});
const withMetadata = (metadata: Partial<Pod["metadata"]>): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, ...metadata },
});

const cases: [name: string, before: Pod | undefined, now: Pod, expected: boolean][] = [
  ["a new Pod", undefined, pod, true],
  ["nothing", pod, testPod({}), false],
  ["its status", pod, { ...pod, status: { phase: "Running" } }, false],
  ["its resourceVersion", pod, withMetadata({ resourceVersion: "9" }), false],
  ["its spec", pod, testPod({ activeDeadlineSeconds: 5 }), true],
  ["its labels", pod, withMetadata({ labels: { a: "b" } }), true],
  ["its annotations", pod, withMetadata({ annotations: { a: "b" } }), true],
  [
    "the kubelet's own annotations",
    pod,
    withMetadata({ annotations: { "kubernetes.io/config.seen": "now" } }),
    false,
  ],
  ["its deletion", pod, withMetadata({ deletionTimestamp: "2025-01-01T00:00:00Z" }), true],
  ["its grace period", pod, withMetadata({ deletionGracePeriodSeconds: 1 }), true],
  ["its UID, as that of a mirror Pod", pod, withMetadata({ uid: "other" }), true],
  [
    "the condition of a readiness gate",
    gated,
    withCondition(gated, "example.org/up", "True"),
    true,
  ],
  ["another condition", gated, withCondition(gated, "example.org/other", "True"), false],
];
for (const [name, before, now, expected] of cases) {
  test(`needsSync() after a change of ${name} is ${expected}`, () => {
    assert.equal(needsSync(before, now), expected);
  });
}
