import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { clusterPaths } from "../base/paths.ts";
import { type ClusterSettings, saveSettings } from "../base/settings.ts";
import { localNodes, nextNode } from "./local-nodes.ts";

const folder = mkdtempSync(join(tmpdir(), "k8ts-nodes-"));
after(() => rmSync(folder, { recursive: true }));
const paths = clusterPaths(folder);
const server: ClusterSettings = {
  name: "ux",
  role: "server",
  nodeName: "vm-ux",
  nodeIp: "192.0.2.1",
  isNodeIpFixed: false,
  server: "https://192.0.2.1:6443",
  serverNames: ["ux.example"],
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/12",
  clusterDomain: "cluster.local",
  lbPool: "198.18.0.0/24",
  disabled: [],
  runtime: "containerd",
  proxyMode: "nftables",
  antiSpoofing: true,
  kubeconfigs: ["/home/ann/.kube/config"],
  verbosity: 0,
  logFormat: "text",
};

test("nextNode() gives a node of the server a name, a namespace and a folder of its own", () => {
  const node = nextNode(paths, server, []);
  const { name, role, nodeName, networkNamespace, server: url, kubeconfigs } = node.settings;
  assert.deepEqual(
    { name, role, nodeName, networkNamespace, url, kubeconfigs, folder: node.paths.folder },
    {
      name: "ux-node2",
      role: "agent",
      nodeName: "vm-ux-2",
      networkNamespace: "k8ts-ux-node2",
      url: "https://192.0.2.1:6443",
      kubeconfigs: [],
      folder: join(folder, "nodes/2"),
    },
  );
  assert.equal(nextNode(paths, server, [], "left").settings.nodeName, "left");
});

test("nextNode() gives a node a runtime of its own beside one that the user runs", () => {
  const user = { runtimeEndpoint: "unix:///run/x.sock", runtimeCgroupDriver: "systemd" } as const;
  const { settings } = nextNode(paths, { ...server, ...user }, []);
  assert.deepEqual(
    [settings.runtime, settings.runtimeEndpoint, settings.runtimeCgroupDriver],
    ["containerd", undefined, undefined],
  );
});

test("localNodes() finds the nodes by number, and nextNode() takes the lowest that is free", async () => {
  const two = nextNode(paths, server, []);
  const three = nextNode(paths, server, [two]);
  for (const node of [three, two]) await saveSettings(node.paths, node.settings);
  const names = () => localNodes(paths).map(({ settings }) => settings.name);
  assert.deepEqual(names(), ["ux-node2", "ux-node3"]);
  assert.equal(nextNode(paths, server, localNodes(paths)).settings.name, "ux-node4");
  rmSync(two.paths.folder, { recursive: true });
  assert.deepEqual(names(), ["ux-node3"]);
  assert.equal(nextNode(paths, server, localNodes(paths)).settings.name, "ux-node2");
});
