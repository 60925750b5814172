import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodCondition, PodStatus } from "#/api/core/v1.ts";
import { testPod } from "#/testing/pod-fixtures.ts";
import { mergeStatus, settleStatus, terminatedStatus } from "./settle-status.ts";

const now = Date.parse("2025-01-01T00:01:00Z");
const ready = (status: PodCondition["status"], at?: string): PodCondition => ({
  type: "Ready",
  status,
  ...(at && { lastTransitionTime: at }),
});

test("settleStatus() dates conditions that change and keeps the time of those that don't", () => {
  const old: PodStatus = {
    startTime: "2025-01-01T00:00:00Z",
    conditions: [ready("True", "2025-01-01T00:00:30Z")],
  };
  const same = settleStatus({ conditions: [ready("True")] }, old, now);
  const other = settleStatus({ conditions: [ready("False")] }, old, now);
  assert.equal(same.conditions?.[0]?.lastTransitionTime, "2025-01-01T00:00:30Z");
  assert.equal(other.conditions?.[0]?.lastTransitionTime, "2025-01-01T00:01:00Z");
  assert.equal(other.startTime, "2025-01-01T00:00:00Z");
});

test("mergeStatus() keeps conditions of other owners and drops its own ones that are no longer reported", () => {
  const gate: PodCondition = { type: "example.org/gate", status: "True" };
  const resize: PodCondition = { type: "PodResizePending", status: "True" };
  const pod = { ...testPod(), status: { conditions: [gate, resize, ready("False")] } };
  const merged = mergeStatus(pod, { phase: "Running", conditions: [ready("True")] }, true, now);
  assert.deepEqual(merged.conditions, [gate, ready("True")]);
});

test("mergeStatus() does not report a pod as ended while its containers may run", () => {
  const pod = { ...testPod(), status: { phase: "Running" as const } };
  const status: PodStatus = { phase: "Failed", reason: "Evicted", conditions: [ready("True")] };
  assert.equal(mergeStatus(pod, status, true, now).phase, "Running");
  const over = mergeStatus(pod, status, false, now);
  assert.deepEqual([over.phase, over.reason], ["Failed", "Evicted"]);
  assert.deepEqual(over.conditions, [
    { ...ready("False", "2025-01-01T00:01:00Z"), reason: "PodFailed" },
  ]);
});

test("terminatedStatus() leaves no container running or waiting, and every pod ended", () => {
  const container = { name: "main", ready: true, restartCount: 0, image: "", imageID: "" };
  const status: PodStatus = {
    phase: "Running",
    containerStatuses: [{ ...container, state: { running: {} } }],
  };
  const ended = terminatedStatus(testPod(), status, false);
  assert.equal(ended.phase, "Failed");
  assert.equal(ended.containerStatuses?.[0]?.state?.terminated?.reason, "ContainerStatusUnknown");
});
