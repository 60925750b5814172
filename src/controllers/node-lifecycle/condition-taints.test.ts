/** Cases: pkg/controller/nodelifecycle/node_lifecycle_controller_test.go (TestTaintsNodeByCondition). */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Taint } from "#/api/core/v1.ts";
import { planConditionTaints } from "./condition-taints.ts";

const time = "2001-09-09T01:46:40Z";
const taint = (key: string): Taint => ({ key: `node.kubernetes.io/${key}`, effect: "NoSchedule" });
const added = (key: string): Taint => ({ ...taint(key), timeAdded: time });
const own: Taint = { key: "team", value: "a", effect: "NoSchedule" };

const cases: readonly {
  readonly name: string;
  readonly conditions: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly plan: readonly Taint[] | undefined;
}[] = [
  { name: "is healthy", conditions: { Ready: "True", DiskPressure: "False" }, plan: undefined },
  { name: "is not Ready", conditions: { Ready: "False" }, plan: [added("not-ready")] },
  { name: "is unreachable", conditions: { Ready: "Unknown" }, plan: [added("unreachable")] },
  {
    name: "has no network and no disk space",
    conditions: { Ready: "True", NetworkUnavailable: "True", DiskPressure: "True" },
    plan: [added("network-unavailable"), added("disk-pressure")],
  },
  {
    name: "lacks memory and process ids",
    conditions: { Ready: "True", MemoryPressure: "True", PIDPressure: "True" },
    plan: [added("memory-pressure"), added("pid-pressure")],
  },
  {
    name: "is cordoned",
    conditions: { Ready: "True" },
    unschedulable: true,
    plan: [added("unschedulable")],
  },
  {
    name: "is tainted correctly",
    conditions: { Ready: "False" },
    taints: [own, taint("not-ready")],
    plan: undefined,
  },
  {
    name: "is healthy again",
    conditions: { Ready: "True" },
    taints: [taint("not-ready"), own],
    plan: [own],
  },
  {
    name: "went from not Ready to unknown",
    conditions: { Ready: "Unknown" },
    taints: [taint("not-ready"), own],
    plan: [own, added("unreachable")],
  },
  {
    name: "has a NoExecute taint with the same key, of another writer",
    conditions: { Ready: "True" },
    taints: [{ ...taint("not-ready"), effect: "NoExecute" }],
    plan: undefined,
  },
];

for (const { name, conditions, taints, unschedulable, plan } of cases) {
  test(`planConditionTaints() of a node that ${name}`, () => {
    const node: Node = {
      metadata: { name: "a" },
      spec: {
        ...(taints ? { taints: [...taints] } : {}),
        ...(unschedulable ? { unschedulable } : {}),
      },
      status: {
        conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })),
      },
    };
    assert.deepEqual(planConditionTaints(node, time), plan);
  });
}
