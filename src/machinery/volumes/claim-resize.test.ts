import assert from "node:assert/strict";
import { test } from "node:test";
import type { PersistentVolumeClaim } from "#/api/core/v1.ts";
import { planResizePatch } from "./claim-resize.ts";

const old = "2026-01-01T00:00:00Z";
const nowText = "2026-01-02T00:00:00Z";
const claim: PersistentVolumeClaim = {
  metadata: { name: "c", namespace: "n", resourceVersion: "5" },
  spec: {},
  status: {
    conditions: [
      { type: "Unused", status: "True" },
      { type: "Resizing", status: "True", lastTransitionTime: old },
    ],
  },
};
const unused = { type: "Unused", status: "True" };

for (const { name, change, status } of [
  {
    name: "a step",
    change: {
      status: "NodeResizePending" as const,
      allocated: "2Gi",
      condition: { type: "FileSystemResizePending" as const, message: "wait" },
    },
    status: {
      conditions: [
        unused,
        {
          type: "FileSystemResizePending",
          status: "True",
          message: "wait",
          lastTransitionTime: nowText,
        },
      ],
      allocatedResourceStatuses: { storage: "NodeResizePending" },
      allocatedResources: { storage: "2Gi" },
    },
  },
  {
    name: "the same step",
    change: {
      status: "NodeResizeInProgress" as const,
      condition: { type: "Resizing" as const, message: "" },
    },
    status: {
      conditions: [
        unused,
        { type: "Resizing", status: "True", message: "", lastTransitionTime: old },
      ],
      allocatedResourceStatuses: { storage: "NodeResizeInProgress" },
    },
  },
  {
    name: "the end",
    change: { capacity: "2Gi" },
    status: {
      conditions: [unused],
      allocatedResourceStatuses: { storage: null },
      capacity: { storage: "2Gi" },
    },
  },
]) {
  test(`planResizePatch() of ${name}`, () => {
    assert.deepEqual(planResizePatch(claim, { ...change, nowText }), {
      metadata: { resourceVersion: "5" },
      status,
    });
  });
}
