import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { asking, testNode, testPod } from "#/testing/scheduler-objects.ts";
import { ClusterCache } from "./cluster-cache.ts";
import { NodeInfo } from "./node-info.ts";
import { podInfoOf } from "./pod-info.ts";

const pod = (name: string, cpu = "1") => podInfoOf(testPod(name, { spec: asking({ cpu }) }));
const used = (cache: ClusterCache, node: string): number | undefined =>
  cache.snapshot().find(node)?.requested.milliCPU;

test("ClusterCache counts assumed pods until they are confirmed or forgotten", () => {
  const cache = new ClusterCache();
  cache.setNode(testNode("a"));
  cache.assume(pod("one"), "a");
  cache.assume(pod("two"), "a");
  assert.equal(used(cache, "a"), 2000);
  assert.equal(cache.assumedCount, 2);
  assert.throws(() => cache.assume(pod("one"), "a"), /is in the cache, so can't be assumed/);
  cache.setPod(pod("one"), "a");
  cache.forget("uid-one");
  cache.forget("uid-two");
  assert.equal(used(cache, "a"), 1000);
  assert.equal(cache.assumedCount, 0);
});

test("ClusterCache keeps pods of nodes that are not in it yet", () => {
  const cache = new ClusterCache();
  cache.setPod(pod("early"), "a");
  cache.setNode(testNode("a"));
  assert.equal(used(cache, "a"), 1000);
  cache.removeNode("a");
  assert.equal(cache.snapshot().nodes.length, 0);
  cache.removePod("uid-early");
  cache.setNode(testNode("a"));
  assert.equal(used(cache, "a"), 0);
});

test("ClusterCache moves a pod that turns out to be on another node", () => {
  const cache = new ClusterCache();
  cache.setNode(testNode("a"));
  cache.setNode(testNode("b"));
  cache.assume(pod("one"), "a");
  cache.setPod(pod("one"), "b");
  assert.deepEqual([used(cache, "a"), used(cache, "b")], [0, 1000]);
});

test("ClusterCache.snapshot() does not change afterwards", () => {
  const cache = new ClusterCache();
  cache.setNode(testNode("a"));
  const before = cache.snapshot();
  assert.equal(cache.snapshot(), before);
  cache.assume(pod("one"), "a");
  cache.setNode(testNode("b"));
  assert.equal(before.find("a")?.pods.length, 0);
  assert.equal(before.nodes.length, 1);
  assert.equal(cache.snapshot().find("a")?.pods.length, 1);
});

test("ClusterCache lists nodes alternating between zones", () => {
  const cache = new ClusterCache();
  for (const [name, zone] of [
    ["a1", "a"],
    ["a2", "a"],
    ["a3", "a"],
    ["b1", "b"],
    ["c1", "c"],
    ["c2", "c"],
  ] as const) {
    cache.setNode(
      testNode(name, { metadata: { name, labels: { "topology.kubernetes.io/zone": zone } } }),
    );
  }
  const names = cache.snapshot().nodes.map(({ name }) => name);
  assert.deepEqual(names, ["a1", "b1", "c1", "a2", "c2", "a3"]);
});

test("ClusterCache counts the nodes that have an image", () => {
  const cache = new ClusterCache();
  const images = [{ names: ["x:1", "x@sha"], sizeBytes: 7 }];
  cache.setNode(testNode("a", { status: { images } }));
  cache.setNode(testNode("b", { status: { images } }));
  assert.deepEqual(cache.snapshot().imageSpread("x:1"), { sizeBytes: 7, nodes: 2 });
  cache.setNode(testNode("b"));
  assert.equal(cache.snapshot().imageSpread("x@sha")?.nodes, 1);
  cache.removeNode("a");
  assert.equal(cache.snapshot().imageSpread("x:1"), undefined);
});

test("NodeInfo adds up to the same whatever pods were added and removed before", () => {
  const amounts = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 10 });
  fc.assert(
    fc.property(amounts, fc.array(fc.nat(9)), (cpus, gone) => {
      const pods = cpus.map((cpu, index) => pod(`pod-${index}`, String(cpu)));
      const full = NodeInfo.of(testNode("a"), pods);
      const left = gone.reduce((node, index) => node.withoutPod(`uid-pod-${index}`), full);
      const kept = pods.filter((_, index) => !gone.includes(index));
      assert.deepEqual(left.requested, NodeInfo.of(testNode("a"), kept).requested);
      assert.equal(left.pods.length, kept.length);
    }),
  );
});
