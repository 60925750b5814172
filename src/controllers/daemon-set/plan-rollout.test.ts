import assert from "node:assert/strict";
import { test } from "node:test";
import type { DaemonSet } from "#/api/apps/v1.ts";
import type { Node, Pod } from "#/api/core/v1.ts";
import { type Daemons, planPods } from "./plan-pods.ts";
import { planRollout } from "./plan-rollout.ts";

const node = (name: string, taints: Node["spec"] = {}): Node => ({
  metadata: { name },
  spec: taints,
});

/** "a:new" is a ready pod of the newest revision on node a; "a:old!" an old one that isn't ready. */
function pod(text: string, index: number): Pod {
  const [nodeName = "", kind = ""] = text.split(":");
  const revision = kind.replace("!", "");
  const status = kind.endsWith("!") ? "False" : "True";
  return {
    metadata: { name: `${text}-${index}`, labels: { "controller-revision-hash": revision } },
    spec: { nodeName, containers: [] },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status, lastTransitionTime: "2020-01-01T00:00:00Z" }],
    },
  } as Pod;
}

function daemons(
  pods: readonly string[],
  rollingUpdate: { maxSurge?: number | string; maxUnavailable?: number | string },
  nodes: readonly Node[] = [node("a"), node("b"), node("c")],
): Daemons {
  const set = {
    metadata: { name: "d", namespace: "default" },
    spec: {
      selector: {},
      template: { metadata: {}, spec: { containers: [] } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate },
    },
  } as unknown as DaemonSet;
  const podsByNode = new Map<string, Pod[]>();
  pods.forEach((text, index) => {
    const made = pod(text, index);
    const name = made.spec?.nodeName ?? "";
    podsByNode.set(name, [...(podsByNode.get(name) ?? []), made]);
  });
  return { set, nodes, podsByNode, hash: "new", nowMs: Date.parse("2021-01-01T00:00:00Z") };
}

const rollouts = [
  {
    claim: "replaces up to maxUnavailable Pods",
    pods: ["a:old", "b:old", "c:old"],
    limits: { maxUnavailable: 1 },
    plan: { create: [], remove: ["a:old-0"] },
  },
  {
    claim: "waits for a new pod to become ready",
    pods: ["a:new!", "b:old", "c:old"],
    limits: { maxUnavailable: 1 },
    plan: { create: [], remove: [] },
  },
  {
    claim: "replaces broken pods beyond the limit",
    pods: ["a:old!", "b:old!", "c:old"],
    limits: { maxUnavailable: 1 },
    plan: { create: [], remove: ["a:old!-0", "b:old!-1"] },
  },
  {
    claim: "rounds percentages up",
    pods: ["a:old", "b:old", "c:old"],
    limits: { maxUnavailable: "34%" },
    plan: { create: [], remove: ["a:old-0", "b:old-1"] },
  },
  {
    claim: "creates new Pods first with a surge",
    pods: ["a:old", "b:old", "c:old"],
    limits: { maxSurge: 2, maxUnavailable: 0 },
    plan: { create: ["a", "b"], remove: [] },
  },
  {
    claim: "removes old pods when the new ones are available",
    pods: ["a:old", "a:new", "b:old", "b:new!", "c:old"],
    limits: { maxSurge: 2, maxUnavailable: 0 },
    plan: { create: ["c"], remove: ["a:old-0"] },
  },
];

for (const { claim, pods, limits, plan } of rollouts) {
  test(`planRollout ${claim}`, () => {
    const { create, remove } = planRollout(daemons(pods, limits));
    assert.deepEqual({ create, remove: remove.map(({ metadata }) => metadata.name) }, plan);
  });
}

test("planPods creates missing Pods, and deletes those on nodes that do not fit", () => {
  const nodes = [
    node("a"),
    node("b", { taints: [{ key: "k", effect: "NoExecute" }] }),
    node("c", { taints: [{ key: "k", effect: "NoSchedule" }] }),
    node("d", { taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }] }),
  ];
  const given = daemons(["b:new", "c:new", "c:new"], { maxUnavailable: 1 }, nodes);
  const { create, remove } = planPods(given, () => true);
  assert.deepEqual(create, ["a", "d"]);
  assert.deepEqual(
    remove.map(({ metadata }) => metadata.name),
    ["b:new-0", "c:new-2"],
  );
});
