import assert from "node:assert/strict";
import { test } from "node:test";
import { testPod } from "#/testing/pod-fixtures.ts";
import { step, type WorkerInput, type WorkerState } from "./worker-state.ts";

const pod = testPod({ terminationGracePeriodSeconds: 30 });
const deleted = (deletionGracePeriodSeconds: number) =>
  testPod(pod.spec, { deletionTimestamp: "2025-01-01T00:00:00Z", deletionGracePeriodSeconds });
const failed = { ...pod, status: { phase: "Failed" as const } };
const eviction = { reason: "Evicted", message: "low on memory", gracePeriodSeconds: 0 };

/** Each input with the state that it leads to. */
const transcripts: readonly { name: string; steps: readonly [WorkerInput, string][] }[] = [
  {
    name: "a pod runs, is deleted, and is removed",
    steps: [
      [{ kind: "update", pod }, "syncing"],
      [{ kind: "update", pod: deleted(30) }, "terminating 30"],
      [{ kind: "done" }, "terminated"],
      [{ kind: "update", pod: deleted(30) }, "terminated"],
      [{ kind: "done" }, "finished"],
    ],
  },
  {
    name: "the grace period only decreases",
    steps: [
      [{ kind: "update", pod: deleted(30) }, "terminating 30"],
      [{ kind: "update", pod: deleted(60) }, "terminating 30"],
      [{ kind: "update", pod: deleted(0) }, "terminating 1"],
    ],
  },
  {
    name: "containers that are done end the pod with its own grace period",
    steps: [
      [{ kind: "update", pod }, "syncing"],
      [{ kind: "end", pod }, "terminating 30"],
      [{ kind: "end", pod, eviction }, "terminating 1 Evicted"],
    ],
  },
  {
    name: "a pod that has failed is not started",
    steps: [[{ kind: "update", pod: failed }, "terminating 30"]],
  },
];

for (const { name, steps } of transcripts) {
  test(`step(): ${name}`, () => {
    let state: WorkerState = { kind: "syncing" };
    for (const [input, expected] of steps) {
      state = step(state, input);
      assert.equal(text(state), expected);
    }
  });
}

function text(state: WorkerState): string {
  if (state.kind !== "terminating") return state.kind;
  return [state.kind, state.graceSeconds, state.eviction?.reason]
    .filter((one) => one !== undefined)
    .join(" ");
}
