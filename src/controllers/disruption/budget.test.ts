/** Cases: pkg/controller/disruption/disruption_test.go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "#/api/policy/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { computeStatus, findDisrupted } from "./budget.ts";
import { desiredHealthy } from "./desired-healthy.ts";

const nowMs = 1_000_000_000_000;

const budget = (
  spec: PodDisruptionBudgetSpec,
  disrupted: Record<string, string> = {},
): PodDisruptionBudget => ({
  metadata: { name: "guard", generation: 3 },
  spec,
  status: {
    disruptedPods: disrupted,
    currentHealthy: 0,
    desiredHealthy: 0,
    disruptionsAllowed: 0,
    expectedPods: 0,
  },
});

function pod(name: string, { isReady = true, isBeingDeleted = false } = {}): Pod {
  return {
    metadata: { name, ...(isBeingDeleted ? { deletionTimestamp: formatTime(nowMs) } : {}) },
    spec: { containers: [] },
    status: { conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
  };
}

const healthyCases: readonly (readonly [
  spec: PodDisruptionBudgetSpec,
  expected: number,
  desired: number,
])[] = [
  [{ minAvailable: 3 }, 1, 3],
  [{ minAvailable: "28%" }, 10, 3],
  [{ minAvailable: "67%" }, 3, 3],
  [{ minAvailable: "0%" }, 3, 0],
  [{ maxUnavailable: 1 }, 4, 3],
  [{ maxUnavailable: 5 }, 4, 0],
  [{ maxUnavailable: "25%" }, 10, 7],
  [{ maxUnavailable: "100%" }, 7, 0],
  [{ maxUnavailable: "0%" }, 7, 7],
  [{}, 4, 0],
];

for (const [spec, expected, desired] of healthyCases) {
  test(`desiredHealthy() of ${JSON.stringify(spec)} and ${expected} expected Pods`, () => {
    assert.equal(desiredHealthy(budget(spec), expected), desired);
  });
}

const statusCases = [
  { name: "no Pods", minAvailable: 3, ready: 0, unready: 0, expected: 0, allowed: 0 },
  { name: "too few Pods", minAvailable: 3, ready: 1, unready: 0, expected: 1, allowed: 0 },
  { name: "just enough Pods", minAvailable: 3, ready: 3, unready: 0, expected: 3, allowed: 0 },
  { name: "one Pod more", minAvailable: 3, ready: 4, unready: 0, expected: 4, allowed: 1 },
  {
    name: "Pods that are not Ready",
    minAvailable: 3,
    ready: 3,
    unready: 2,
    expected: 5,
    allowed: 0,
  },
] as const;

for (const { name, minAvailable, ready, unready, expected, allowed } of statusCases) {
  test(`computeStatus(): ${name}`, () => {
    const pods = [
      ...Array.from({ length: ready }, (_, index) => pod(`ready-${index}`)),
      ...Array.from({ length: unready }, (_, index) => pod(`not-${index}`, { isReady: false })),
    ];
    const object = budget({ minAvailable });
    const status = computeStatus(object, pods, findDisrupted(object, pods, nowMs), expected, nowMs);
    assert.deepEqual(status, {
      observedGeneration: 3,
      disruptionsAllowed: allowed,
      currentHealthy: ready,
      desiredHealthy: minAvailable,
      expectedPods: expected,
      conditions: [
        {
          type: "DisruptionAllowed",
          status: allowed > 0 ? "True" : "False",
          reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
          message: "",
          observedGeneration: 3,
          lastTransitionTime: "2001-09-09T01:46:40Z",
        },
      ],
    });
  });
}

test("computeStatus() does not count Pods that are terminating or being evicted", () => {
  const pods = [pod("a"), pod("b"), pod("c"), pod("d", { isBeingDeleted: true })];
  const object = budget({ minAvailable: 1 }, { b: formatTime(nowMs - 1_000) });
  const status = computeStatus(object, pods, findDisrupted(object, pods, nowMs), 4, nowMs);
  const { currentHealthy, disruptionsAllowed, disruptedPods } = status;
  assert.deepEqual(
    { currentHealthy, disruptionsAllowed, disruptedPods },
    { currentHealthy: 2, disruptionsAllowed: 1, disruptedPods: { b: formatTime(nowMs - 1_000) } },
  );
});

test("findDisrupted() waits two minutes for each Pod, and drops deleted and terminating ones", () => {
  const pods = [pod("fresh"), pod("late"), pod("going", { isBeingDeleted: true }), pod("other")];
  const object = budget(
    { minAvailable: 1 },
    {
      fresh: formatTime(nowMs - 20_000),
      late: formatTime(nowMs - 121_000),
      going: formatTime(nowMs - 20_000),
      gone: formatTime(nowMs - 20_000),
    },
  );
  assert.deepEqual(findDisrupted(object, pods, nowMs), {
    pending: { fresh: formatTime(nowMs - 20_000) },
    overdue: [pods[1]],
    recheckMs: 100_000,
  });
});
