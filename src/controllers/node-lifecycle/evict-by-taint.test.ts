/** Cases: pkg/controller/nodelifecycle/node_lifecycle_controller.go (processTaintBaseEviction). */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Taint } from "#/api/core/v1.ts";
import { planEvictionTaints } from "./evict-by-taint.ts";

const time = "2026-01-01T00:00:00Z";
const taint = (key: string, effect: Taint["effect"] = "NoExecute"): Taint => ({
  key: `node.kubernetes.io/${key}`,
  effect,
});
const added = (key: string): Taint => ({ ...taint(key), timeAdded: time });

const cases: readonly {
  readonly name: string;
  readonly taints: Taint[];
  readonly ready: string;
  readonly plan: ReturnType<typeof planEvictionTaints>;
}[] = [
  { name: "ready and untainted", taints: [], ready: "True", plan: undefined },
  {
    name: "ready again",
    taints: [taint("unreachable"), taint("unreachable", "NoSchedule")],
    ready: "True",
    plan: { taints: [taint("unreachable", "NoSchedule")], isAdded: false },
  },
  {
    name: "not ready",
    taints: [],
    ready: "False",
    plan: { taints: [added("not-ready")], isAdded: true },
  },
  {
    name: "silent",
    taints: [taint("memory-pressure", "NoSchedule")],
    ready: "Unknown",
    plan: {
      taints: [taint("memory-pressure", "NoSchedule"), added("unreachable")],
      isAdded: true,
    },
  },
  { name: "silent and tainted", taints: [taint("unreachable")], ready: "Unknown", plan: undefined },
  {
    name: "silent after it was not ready",
    taints: [taint("not-ready")],
    ready: "Unknown",
    plan: { taints: [added("unreachable")], isAdded: false },
  },
];

for (const { name, taints, ready, plan } of cases) {
  test(`planEvictionTaints() of a node that is ${name}`, () => {
    assert.deepEqual(planEvictionTaints({ metadata: {}, spec: { taints } }, ready, time), plan);
  });
}
