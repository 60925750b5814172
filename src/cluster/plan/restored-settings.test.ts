import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterSettings } from "../base/settings.ts";
import { restoredSettings } from "./restored-settings.ts";

const saved = {
  name: "k8ts",
  role: "server",
  nodeName: "vm",
  nodeIp: "192.168.1.7",
  isNodeIpFixed: false,
  server: "https://192.168.1.7:7443",
  podCidr: "10.244.0.0/16",
  lbPool: "198.18.0.0/24",
  kubeconfigs: ["/home/a/.kube/config"],
} as unknown as ClusterSettings;

test("a cluster that comes back keeps its settings and the kubeconfigs of the place", () => {
  const present = { ...saved, kubeconfigs: ["/root/.kube/config"] };
  const place = { name: "k8ts", pools: [] };
  assert.deepEqual(restoredSettings(saved, { ...place, present }), present);
  const alone = restoredSettings(saved, { ...place, present: undefined });
  assert.deepEqual(alone, { ...saved, kubeconfigs: [] });
});

test("a copy has a network and addresses of its own, and the same port and node", () => {
  const place = { name: "copy", present: undefined, pools: ["198.18.0.0/24"] };
  const { nodeIp, server, lbPool, networkNamespace, nodeName } = restoredSettings(saved, place);
  assert.equal(server, `https://${nodeIp}:7443`);
  assert.notEqual(nodeIp, saved.nodeIp);
  assert.notEqual(lbPool, saved.lbPool);
  assert.equal(networkNamespace, "k8ts-copy");
  assert.equal(nodeName, "vm");
  const back = restoredSettings(
    { ...saved, name: "copy", networkNamespace: "k8ts-copy" },
    { name: "k8ts", present: undefined, pools: [] },
  );
  assert.equal(back.networkNamespace, undefined);
  assert.equal(back.isNodeIpFixed, false);
});

test("a cluster on etcd comes back with the embedded store", () => {
  const onEtcd = { ...saved, etcd: { joined: ["a=https://192.168.1.8:2380"] } };
  const place = { name: "k8ts", pools: [], present: undefined };
  assert.equal("etcd" in restoredSettings(onEtcd, place), false);
});
