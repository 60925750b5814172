import assert from "node:assert/strict";
import { test } from "node:test";
import { services, type TopologySpreadConstraint } from "#/api/core/v1.ts";
import {
  filterTexts,
  occupied,
  scoresOf,
  testContext,
  testNode,
  testPlugin,
  testPod,
} from "#/testing/scheduler-objects.ts";
import { podInfoOf } from "../../cache/pod-info.ts";
import { Snapshot } from "../../cache/snapshot.ts";
import { compileConstraints } from "./constraints.ts";
import { podTopologySpread } from "./pod-topology-spread.ts";
import { SpreadFilter } from "./spread-filter.ts";

const plugin = testPlugin(podTopologySpread);
const app = { metadata: { labels: { app: "web" } } };
const zoned = (name: string, zone: string, webPods: number) =>
  occupied(
    testNode(name, { metadata: { labels: { zone, "kubernetes.io/hostname": name } } }),
    Array.from({ length: webPods }, (_, index) => {
      return testPod(`${name}-${index}`, {
        metadata: { labels: { app: "web" }, namespace: "default", uid: `${name}-${index}` },
      });
    }),
  );
const constraint = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: "zone",
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchLabels: { app: "web" } },
  ...more,
});
const text = "node(s) didn't match pod topology spread constraints";
const nodes = [zoned("a1", "a", 1), zoned("a2", "a", 1), zoned("b1", "b", 1), zoned("c1", "c", 0)];

for (const { name, constraints, on = nodes, texts } of [
  {
    name: "restricts pods to the emptiest domains",
    constraints: [constraint()],
    texts: { a1: text, a2: text, b1: text, c1: "" },
  },
  {
    name: "allows a skew of 2",
    constraints: [constraint({ maxSkew: 2 })],
    texts: { a1: text, a2: text, b1: "", c1: "" },
  },
  {
    name: "takes 0 as the minimum while there are fewer domains than minDomains",
    constraints: [constraint({ minDomains: 4, maxSkew: 1 })],
    on: [zoned("a1", "a", 1), zoned("b1", "b", 1)],
    texts: { a1: text, b1: text },
  },
  {
    name: "rejects nodes without the label",
    constraints: [constraint()],
    on: [occupied(testNode("bare")), zoned("a1", "a", 5)],
    texts: { bare: `${text} (missing required label)`, a1: "" },
  },
  {
    name: "requires all constraints",
    constraints: [
      constraint({ maxSkew: 5 }),
      constraint({ topologyKey: "kubernetes.io/hostname" }),
    ],
    texts: { a1: text, a2: text, b1: text, c1: "" },
  },
  {
    name: "skips pods without hard constraints",
    constraints: [constraint({ whenUnsatisfiable: "ScheduleAnyway" })],
    texts: { a1: "", a2: "", b1: "", c1: "" },
  },
]) {
  test(`PodTopologySpread ${name}`, () => {
    const pod = testPod("pod", {
      metadata: { name: "pod", namespace: "default", uid: "uid", ...app.metadata },
      spec: { topologySpreadConstraints: constraints },
    });
    assert.deepEqual(filterTexts(plugin, pod, on), texts);
  });
}

test("PodTopologySpread counts nodes by the pod's own affinity, unless the policy is Ignore", () => {
  const check = (nodeAffinityPolicy: "Honor" | "Ignore") => {
    const spec = {
      nodeSelector: { zone: "a" },
      topologySpreadConstraints: [constraint({ nodeAffinityPolicy, maxSkew: 2 })],
    };
    const pod = testPod("pod", {
      metadata: { name: "pod", namespace: "default", ...app.metadata },
      spec,
    });
    return filterTexts(plugin, pod, [zoned("a1", "a", 2), zoned("b1", "b", 0)]);
  };
  assert.deepEqual(check("Honor"), { a1: "", b1: "" });
  assert.deepEqual(check("Ignore"), { a1: text, b1: "" });
});

test("PodTopologySpread prefers emptier domains for soft constraints", () => {
  const soft = constraint({ whenUnsatisfiable: "ScheduleAnyway" });
  const pod = testPod("pod", { spec: { topologySpreadConstraints: [soft] } });
  // Two pods in zone a, one in b, none in c; each counts ln(3+2).
  assert.deepEqual(scoresOf(plugin, pod, nodes), { a1: 0, a2: 0, b1: 33, c1: 100 });
});

test("PodTopologySpread spreads pods of one Service by default", () => {
  const service = {
    metadata: { name: "web", namespace: "default" },
    spec: { selector: { app: "web" } },
  };
  const spreading = testPlugin(podTopologySpread, {}, testContext([[services, [service]]]));
  const pod = testPod("pod", { metadata: { name: "pod", namespace: "default", ...app.metadata } });
  const scores = scoresOf(spreading, pod, [zoned("a1", "a", 3), zoned("b1", "b", 0)]);
  assert.deepEqual(scores, { a1: 33, b1: 100 });
  assert.equal(scoresOf(plugin, pod, nodes), undefined);
});

test("SpreadFilter.fork() counts removed pods", () => {
  const pod = podInfoOf(
    testPod("pod", { metadata: { name: "pod", namespace: "default", ...app.metadata } }),
  );
  const full = zoned("a1", "a", 1);
  const snapshot = Snapshot.of([full, zoned("b1", "b", 0)]);
  const constraints = compileConstraints([constraint()], "DoNotSchedule", {});
  const filter = SpreadFilter.of(pod, constraints, snapshot);
  assert.ok(filter.check(full));
  const fork = filter.fork();
  const [victim] = full.pods;
  assert.ok(victim);
  fork.podRemoved(victim, full.withoutPod(victim.uid));
  assert.equal(fork.check(full.withoutPod(victim.uid)), undefined);
  assert.ok(filter.check(full));
});
