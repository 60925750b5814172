import assert from "node:assert/strict";
import { test } from "node:test";
import {
  asking,
  occupied,
  testContext,
  testNode,
  testPlugin,
  testPod,
} from "#/testing/scheduler-objects.ts";
import { podInfoOf } from "../cache/pod-info.ts";
import { Snapshot } from "../cache/snapshot.ts";
import { withDefaults } from "../config/load-configuration.ts";
import { plugins as allPlugins, pluginMaker } from "../plugins/index.ts";
import { nodeResourcesFit } from "../plugins/node-resources-fit.ts";
import { nodeChanges, podChanges } from "./changes.ts";
import { Cycle } from "./cycle.ts";
import { prepareFilters } from "./filter-run.ts";
import { fitErrorText, newDiagnosis } from "./fit-error.ts";
import type { Plugin } from "./plugin.ts";
import { buildProfile } from "./profile.ts";
import { reject, rejectForGood } from "./rejection.ts";

const make = pluginMaker({ context: testContext(), extenders: [] });
type Profiles = NonNullable<Parameters<typeof withDefaults>[1]>["profiles"];

function profileOf(plugins: NonNullable<Profiles>[number]["plugins"] = {}) {
  const [config] = withDefaults(allPlugins, { profiles: [{ plugins }] }).profiles;
  assert.ok(config);
  return buildProfile(config, make);
}

const names = (plugins: readonly Plugin[]): string[] => plugins.map(({ name }) => name);

test("buildProfile() has upstream's default plugins in order", () => {
  const profile = profileOf();
  assert.deepEqual(names(profile.filter), [
    "NodeName",
    "NodeUnschedulable",
    "TaintToleration",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "NodeVolumeLimits",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
    "DynamicResources",
    "NodeDeclaredFeatures",
  ]);
  const weights = profile.score.map(({ plugin, weight }) => [plugin.name, weight]);
  assert.deepEqual(
    weights.filter(([name]) => name !== "DynamicResources"),
    [
      ["TaintToleration", 3],
      ["NodeAffinity", 2],
      ["NodeResourcesFit", 1],
      ["VolumeBinding", 1],
      ["PodTopologySpread", 2],
      ["InterPodAffinity", 2],
      ["NodeResourcesBalancedAllocation", 1],
      ["ImageLocality", 1],
    ],
  );
  assert.equal(profile.queueSort.name, "PrioritySort");
  assert.deepEqual(names(profile.bind), ["DefaultBinder"]);
});

test("buildProfile() disables a plugin at one point and keeps it at others", () => {
  const profile = profileOf({ score: { disabled: [{ name: "TaintToleration" }] } });
  assert.ok(names(profile.filter).includes("TaintToleration"));
  assert.ok(!profile.score.some(({ plugin }) => plugin.name === "TaintToleration"));
  const gateless = profileOf({ preEnqueue: { disabled: [{ name: "SchedulingGates" }] } });
  const gates = gateless.plugins.find(({ name }) => name === "SchedulingGates");
  assert.equal(gates?.preEnqueue, undefined);
});

test("buildProfile() puts plugins of both a point and multiPoint first, with the point's weight", () => {
  const { score } = profileOf({
    score: {
      enabled: [{ name: "ImageLocality", weight: 9 }],
      disabled: [{ name: "NodeAffinity" }],
    },
  });
  assert.deepEqual([score[0]?.plugin.name, score[0]?.weight], ["ImageLocality", 9]);
  assert.equal(score.filter(({ plugin }) => plugin.name === "ImageLocality").length, 1);
});

for (const { name, plugins, message } of [
  {
    name: "unknown plugins",
    plugins: { filter: { enabled: [{ name: "Nope" }] } },
    message: /plugin "Nope" does not exist/,
  },
  {
    name: "plugins at points that they don't have",
    plugins: { filter: { enabled: [{ name: "PrioritySort" }] } },
    message: /plugin "PrioritySort" does not extend filter plugin/,
  },
  {
    name: "profiles that can't bind",
    plugins: { bind: { disabled: [{ name: "*" }] } },
    message:
      /at least one bind plugin is needed for profile with scheduler name "default-scheduler"/,
  },
]) {
  test(`buildProfile() refuses ${name}`, () => {
    assert.throws(() => profileOf(plugins), message);
  });
}

test("fitErrorText() counts reasons, sorted", () => {
  const diagnosis = newDiagnosis(5);
  diagnosis.rejections.set("a", reject("X", "Insufficient cpu", "Insufficient memory"));
  diagnosis.rejections.set("b", reject("X", "Insufficient cpu"));
  diagnosis.absent = rejectForGood("", "node(s) didn't satisfy plugin(s) [NodeAffinity]");
  diagnosis.postFilterMessage = "preemption: not eligible due to preemptionPolicy=Never.";
  assert.equal(
    fitErrorText(diagnosis),
    "0/5 nodes are available: 1 Insufficient memory, 2 Insufficient cpu, 3 node(s) didn't satisfy plugin(s) [NodeAffinity]. preemption: not eligible due to preemptionPolicy=Never.",
  );
  const early = newDiagnosis(3);
  early.preFilterMessage = 'persistentvolumeclaim "x" not found';
  assert.equal(
    fitErrorText(early),
    '0/3 nodes are available: persistentvolumeclaim "x" not found.',
  );
});

test("prepareFilters() names the plugins that restrict nodes to an empty set", () => {
  const only = (name: string, ...nodes: string[]): Plugin => ({
    name,
    filter: () => ({ check: () => undefined, nodeNames: new Set(nodes) }),
  });
  const cycle = new Cycle(podInfoOf(testPod("pod")), Snapshot.of([]));
  const prepared = prepareFilters([only("A", "x"), only("B", "y")], cycle, () => []);
  assert.deepEqual(prepared.rejection?.reasons, [
    "node(s) didn't satisfy plugin(s) [A B] simultaneously",
  ]);
});

test("FilterRun leaves room for pods nominated for the node", () => {
  const node = occupied(testNode("a"));
  const nominated = podInfoOf(
    testPod("nominated", { spec: { ...asking({ cpu: "3" }), priority: 5 } }),
  );
  const check = (priority: number) => {
    const info = podInfoOf(testPod("pod", { spec: { ...asking({ cpu: "2" }), priority } }));
    const cycle = new Cycle(info, Snapshot.of([node]));
    const plugin = testPlugin(nodeResourcesFit);
    return prepareFilters([plugin], cycle, () => [nominated]).run.check(node)?.reasons[0];
  };
  assert.equal(check(5), "Insufficient cpu");
  assert.equal(check(6), undefined);
});

test("podChanges() names each change that matters", () => {
  const before = testPod("pod", {
    spec: { ...asking({ cpu: "2" }), schedulingGates: [{ name: "gate" }] },
  });
  const after = testPod("pod", {
    metadata: { name: "pod", labels: { a: "b" } },
    spec: { ...asking({ cpu: "1" }), tolerations: [{ operator: "Exists" }] },
  });
  assert.deepEqual(
    podChanges(before, after, true).map(({ label }) => label),
    [
      "TargetPodUpdatePodLabel",
      "TargetPodUpdatePodScaleDown",
      "TargetPodUpdatePodSchedulingGatesEliminated",
      "TargetPodUpdatePodToleration",
    ],
  );
  const same = podChanges(before, before);
  assert.deepEqual(
    same.map(({ label }) => label),
    ["UnscheduledPodUpdate"],
  );
});

test("nodeChanges() names each change that matters", () => {
  const before = testNode("a", { spec: { unschedulable: true } });
  const after = testNode("a", {
    metadata: { name: "a", labels: { x: "y" } },
    status: { allocatable: { cpu: "9" }, conditions: [{ type: "Ready", status: "True" }] },
  });
  assert.deepEqual(
    nodeChanges(before, after).map(({ label }) => label),
    [
      "NodeUpdateNodeTaint",
      "NodeUpdateNodeAllocatable",
      "NodeUpdateNodeLabel",
      "NodeUpdateNodeCondition",
    ],
  );
  assert.deepEqual(nodeChanges(after, after), []);
});
