import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { testContainer, testPod } from "#/testing/pod-fixtures.ts";
import { podsToPreempt } from "./preemption.ts";

const asking = (name: string, cpu: string, limits?: Record<string, string>): Pod =>
  testPod(
    {
      containers: [
        testContainer("main", {
          resources: { requests: { cpu, ...limits }, ...(limits && { limits }) },
        }),
      ],
    },
    { name, uid: name },
  );
const critical = testPod({ priority: 2_000_000_000 });
const others = [
  asking("small", "100m"),
  asking("large", "900m"),
  asking("fits", "500m"),
  asking("guaranteed", "500m", { cpu: "500m", memory: "1Gi" }),
];

for (const { need, expected } of [
  { need: 400, expected: ["fits"] },
  { need: 600, expected: ["large"] },
  { need: 1600, expected: ["large", "fits", "guaranteed"] },
  { need: 3000, expected: undefined },
]) {
  test(`podsToPreempt() for ${need}m returns ${expected ?? "undefined"}`, () => {
    const chosen = podsToPreempt(critical, [{ resource: "cpu", amount: need }], others);
    assert.deepEqual(
      chosen?.map(({ metadata }) => metadata.name),
      expected,
    );
  });
}

test("podsToPreempt() never preempts critical pods", () => {
  const amount = [{ resource: "cpu", amount: 100 }];
  const other = {
    ...asking("a", "1"),
    spec: { ...asking("a", "1").spec, priority: 2_000_000_000 },
  };
  assert.equal(podsToPreempt(critical, amount, [other]), undefined);
});
