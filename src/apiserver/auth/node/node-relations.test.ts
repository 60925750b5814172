import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { NodeRelations } from "./node-relations.ts";

function pod(name: string, nodeName: string, secretName: string): Pod {
  const volumes = [
    { name: "s", secret: { secretName } },
    { name: "v", persistentVolumeClaim: { claimName: "claim" } },
  ];
  const containers = [{ name: "c", image: "i" }];
  return {
    metadata: { name, namespace: "ns", uid: name },
    spec: { nodeName, volumes, containers },
  };
}

const volume = {
  metadata: { name: "pv" },
  spec: {
    claimRef: { namespace: "ns", name: "claim" },
    csi: { driver: "d", volumeHandle: "h", nodeStageSecretRef: { namespace: "o", name: "stage" } },
  },
};

test("NodeRelations keeps a secret as long as one of the node's pods needs it", () => {
  const relations = new NodeRelations();
  const has = (node: string) => relations.isRelated(node, "secrets", "ns", "s");
  relations.setPod("ns/a", pod("a", "n1", "s"), undefined);
  relations.setPod("ns/b", pod("b", "n1", "s"), undefined);
  assert.deepEqual([has("n1"), has("n2")], [true, false]);
  relations.setPod("ns/a", undefined, pod("a", "n1", "s"));
  assert.equal(has("n1"), true);
  relations.setPod("ns/b", undefined, pod("b", "n1", "s"));
  assert.equal(has("n1"), false);
});

test("NodeRelations drops a pod's node when another pod has its name", () => {
  const relations = new NodeRelations();
  relations.setPod("ns/a", pod("a", "n1", "s"), undefined);
  const other = { ...pod("a", "n2", "t"), metadata: { name: "a", namespace: "ns", uid: "2" } };
  relations.setPod("ns/a", other, pod("a", "n1", "s"));
  assert.equal(relations.isRelated("n1", "secrets", "ns", "s"), false);
  assert.equal(relations.isRelated("n1", "pods", "ns", "a"), false);
  assert.equal(relations.isRelated("n2", "secrets", "ns", "t"), true);
});

test("NodeRelations follows claims to volumes and their secrets, in any order of arrival", () => {
  const relations = new NodeRelations();
  const has = () => [
    relations.isRelated("n1", "persistentvolumes", "", "pv"),
    relations.isRelated("n1", "secrets", "o", "stage"),
  ];
  relations.setVolume("pv", volume);
  assert.deepEqual(has(), [false, false]);
  relations.setPod("ns/a", pod("a", "n1", "s"), undefined);
  assert.deepEqual(has(), [true, true]);
  relations.setVolume("pv", { metadata: { name: "pv" }, spec: {} });
  assert.deepEqual(has(), [false, false]);
});

test("NodeRelations relates a mirror pod's node to the pod only", () => {
  const relations = new NodeRelations();
  const { metadata, spec } = pod("a", "n1", "s");
  const annotations = { "kubernetes.io/config.mirror": "x" };
  relations.setPod("ns/a", { metadata: { ...metadata, annotations }, spec }, undefined);
  assert.equal(relations.isRelated("n1", "pods", "ns", "a"), true);
  assert.equal(relations.isRelated("n1", "secrets", "ns", "s"), false);
});
