import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceList } from "#/api/core/v1.ts";
import {
  asking,
  filterTexts,
  occupied,
  scoresOf,
  testNode,
  testPlugin,
  testPod,
} from "#/testing/scheduler-objects.ts";
import { ClusterCache } from "../cache/cluster-cache.ts";
import { podInfoOf } from "../cache/pod-info.ts";
import { Cycle } from "../framework/cycle.ts";
import { imageLocality } from "./image-locality.ts";
import { nodeResourcesBalancedAllocation } from "./node-resources-balanced-allocation.ts";
import { nodeResourcesFit } from "./node-resources-fit.ts";
import { interpolate } from "./shared/resource-scores.ts";
import type { ScoringStrategy } from "./shared/scoring-strategy.ts";

const fit = testPlugin(nodeResourcesFit);
const node = (name: string, allocatable: ResourceList, used: ResourceList = {}) =>
  occupied(testNode(name, { status: { allocatable: { pods: "10", ...allocatable } } }), [
    testPod("other", { spec: asking(used) }),
  ]);

const gpus = { "example.com/gpu": "2" };

for (const { name, wanted, nodes, texts, args = {} } of [
  {
    name: "fits where there is room",
    wanted: { cpu: "2", memory: "1Gi" },
    nodes: [node("a", { cpu: "4", memory: "2Gi" }, { cpu: "2", memory: "1Gi" })],
    texts: { a: "" },
  },
  {
    name: "reports all insufficient resources",
    wanted: { cpu: "3", memory: "2Gi", "ephemeral-storage": "1Gi" },
    nodes: [node("a", { cpu: "4", memory: "2Gi" }, { cpu: "2", memory: "1Gi" })],
    texts: { a: "Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage" },
  },
  {
    name: "counts extended resources",
    wanted: { "example.com/gpu": "1" },
    nodes: [node("a", gpus, { "example.com/gpu": "1" }), node("b", gpus, gpus), node("c", {})],
    texts: { a: "", b: "Insufficient example.com/gpu", c: "Insufficient example.com/gpu" },
  },
  {
    name: "skips ignored resources",
    wanted: { "example.com/gpu": "1", "other.com/x": "1" },
    args: { ignoredResources: ["other.com/x"], ignoredResourceGroups: ["example.com"] },
    nodes: [node("a", {})],
    texts: { a: "" },
  },
  {
    name: "counts pods, including those without requests",
    wanted: {},
    nodes: [node("a", { pods: "1" }), node("b", { pods: "2" })],
    texts: { a: "Too many pods", b: "" },
  },
  {
    name: "ignores an exhausted resource that the pod doesn't request",
    wanted: { cpu: "1" },
    nodes: [node("a", { cpu: "4", memory: "1Gi" }, { memory: "2Gi" })],
    texts: { a: "" },
  },
]) {
  test(`NodeResourcesFit ${name}`, () => {
    const plugin = testPlugin(nodeResourcesFit, args);
    assert.deepEqual(filterTexts(plugin, testPod("pod", { spec: asking(wanted) }), nodes), texts);
  });
}

test("NodeResourcesFit marks rejections that no preemption resolves", () => {
  const small = node("small", { cpu: "1", memory: "1Gi" });
  const full = node("full", { cpu: "4", memory: "8Gi" }, { cpu: "4" });
  const pod = podInfoOf(testPod("pod", { spec: asking({ cpu: "2" }) }));
  const filter = fit.filter?.(new Cycle(pod, new ClusterCache().snapshot()));
  assert.ok(filter && "check" in filter);
  assert.equal(filter.check(small)?.resolvable, false);
  assert.equal(filter.check(full)?.resolvable, true);
});

const nodes = [
  node("empty", { cpu: "4", memory: "8Gi" }, { cpu: "0", memory: "0" }),
  node("half", { cpu: "4", memory: "8Gi" }, { cpu: "2", memory: "4Gi" }),
];
const strategies: readonly { strategy: ScoringStrategy; scores: Record<string, number> }[] = [
  {
    strategy: {
      type: "LeastAllocated",
      resources: [
        { name: "cpu", weight: 1 },
        { name: "memory", weight: 1 },
      ],
    },
    scores: { empty: 75, half: 25 },
  },
  {
    strategy: {
      type: "MostAllocated",
      resources: [
        { name: "cpu", weight: 3 },
        { name: "memory", weight: 1 },
      ],
    },
    scores: { empty: 25, half: 75 },
  },
  {
    strategy: {
      type: "RequestedToCapacityRatio",
      resources: [{ name: "cpu", weight: 1 }],
      requestedToCapacityRatio: {
        shape: [
          { utilization: 0, score: 0 },
          { utilization: 100, score: 10 },
        ],
      },
    },
    scores: { empty: 25, half: 75 },
  },
];
for (const { strategy, scores } of strategies) {
  test(`NodeResourcesFit scores by ${strategy.type}`, () => {
    const plugin = testPlugin(nodeResourcesFit, { scoringStrategy: strategy });
    const pod = testPod("pod", { spec: asking({ cpu: "1", memory: "2Gi" }) });
    assert.deepEqual(scoresOf(plugin, pod, nodes), scores);
  });
}

test("NodeResourcesBalancedAllocation prefers nodes that the pod makes more even", () => {
  const plugin = testPlugin(nodeResourcesBalancedAllocation);
  const uneven = [
    node("cpu-used", { cpu: "4", memory: "8Gi" }, { cpu: "3", memory: "1Gi" }),
    node("memory-used", { cpu: "4", memory: "8Gi" }, { cpu: "500m", memory: "6Gi" }),
    node("even", { cpu: "4", memory: "8Gi" }, { cpu: "1", memory: "2Gi" }),
  ];
  const pod = testPod("pod", { spec: asking({ cpu: "1", memory: "0" }) });
  // With the pod: 1-|1-.125|/2, 1-|.375-.75|/2, 1-|.5-.25|/2; without: .6875, .6875, 1.
  assert.deepEqual(scoresOf(plugin, pod, uneven), { "cpu-used": 69, "memory-used": 81, even: 68 });
  assert.equal(scoresOf(plugin, testPod("nothing"), uneven), undefined);
});

test("interpolate() connects points by straight lines", () => {
  const shape = [
    { utilization: 10, score: 0 },
    { utilization: 50, score: 100 },
    { utilization: 90, score: 20 },
  ];
  const at = [0, 10, 30, 50, 70, 90, 100].map((utilization) => interpolate(shape, utilization));
  assert.deepEqual(at, [0, 0, 50, 100, 60, 20, 20]);
});

test("ImageLocality prefers nodes that have the images, less so if few have them", () => {
  const mib = 1024 * 1024;
  const cache = new ClusterCache();
  const image = { names: ["main:latest"], sizeBytes: 500 * mib };
  cache.setNode(testNode("has", { status: { images: [image] } }));
  cache.setNode(testNode("lacks"));
  const snapshot = cache.snapshot();
  const scorer = testPlugin(imageLocality).score?.(
    new Cycle(podInfoOf(testPod("pod")), snapshot),
    snapshot.nodes,
  );
  const scores = snapshot.nodes.map((one) => [one.name, scorer?.score(one)]);
  assert.deepEqual(scores, [
    ["has", Math.floor((100 * (250 - 23)) / (1000 - 23))],
    ["lacks", 0],
  ]);
});
