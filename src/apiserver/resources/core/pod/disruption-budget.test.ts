import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodDisruptionBudgetStatus } from "#/api/policy/v1.ts";
import { StatusError } from "#/machinery/meta/status-error.ts";
import { takeDisruption } from "./disruption-budget.ts";

const now = Date.UTC(2001, 0, 1);
const time = "2001-01-01T00:00:00Z";

const budget = (status: Partial<PodDisruptionBudgetStatus>, generation = 1) => ({
  metadata: { name: "b", generation },
  spec: {},
  status: {
    observedGeneration: 1,
    disruptionsAllowed: 0,
    currentHealthy: 3,
    desiredHealthy: 2,
    expectedPods: 3,
    ...status,
  },
});

test("takeDisruption() decrements the budget and records the Pod", () => {
  const given = budget({ disruptionsAllowed: 2, disruptedPods: { old: time } });
  takeDisruption(given, { podName: "p", now });
  const { disruptionsAllowed, disruptedPods, conditions } = given.status;
  assert.deepEqual(
    [disruptionsAllowed, disruptedPods, conditions],
    [1, { old: time, p: time }, undefined],
  );
});

test("takeDisruption() sets the condition when no disruption is left", () => {
  const given = budget({ disruptionsAllowed: 1 });
  takeDisruption(given, { podName: "p", now });
  assert.deepEqual(given.status.conditions, [
    {
      type: "DisruptionAllowed",
      status: "False",
      reason: "InsufficientPods",
      message: "",
      observedGeneration: 1,
      lastTransitionTime: time,
    },
  ]);
});

const many = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`p${index}`, time]));

const refusals: readonly (readonly [string, ReturnType<typeof budget>, number, string])[] = [
  [
    "is behind",
    budget({}, 2),
    429,
    "The disruption budget b is still being processed by the server.",
  ],
  [
    "is overdrawn",
    budget({ disruptionsAllowed: -1 }),
    403,
    "The disruption budget b does not allow evicting pods currently: pdb disruptions allowed is negative",
  ],
  [
    "waits for too many pods",
    budget({ disruptionsAllowed: 1, disruptedPods: many }),
    403,
    "The disruption budget b does not allow evicting pods currently: too many pending evictions not confirmed by PDB controller",
  ],
  ["is used up", budget({}), 429, "The disruption budget b does not allow evicting pods currently"],
  [
    "has too few pods",
    budget({ currentHealthy: 1 }),
    429,
    "The disruption budget b needs 2 healthy pods and has 1 currently",
  ],
];

for (const [name, given, code, message] of refusals) {
  test(`takeDisruption() throws if the budget ${name}`, () => {
    assert.throws(
      () => takeDisruption(given, { podName: "p", now }),
      (error: unknown) => {
        assert.ok(error instanceof StatusError);
        assert.equal(error.code, code);
        assert.deepEqual(error.status.details?.causes, [{ reason: "DisruptionBudget", message }]);
        return true;
      },
    );
  });
}
