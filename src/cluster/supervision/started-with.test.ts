import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { startDigest } from "./start-digest.ts";

const paths = clusterPaths("/srv/x");
const settings: ClusterSettings = {
  name: "x",
  role: "server",
  nodeName: "n",
  nodeIp: "10.0.0.1",
  isNodeIpFixed: false,
  serverNames: [],
  server: "https://10.0.0.1:6443",
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/12",
  clusterDomain: "cluster.local",
  lbPool: "198.18.0.0/24",
  disabled: [],
  runtime: "containerd",
  proxyMode: "nftables",
  antiSpoofing: true,
  kubeconfigs: ["/root/.kube/config"],
  verbosity: 0,
  logFormat: "text",
};

const cases: { change: Partial<ClusterSettings>; restarted: string[] }[] = [
  { change: {}, restarted: [] },
  { change: { proxyMode: "iptables" }, restarted: ["agent"] },
  { change: { antiSpoofing: false }, restarted: ["agent"] },
  { change: { lbAnnounce: true }, restarted: ["agent"] },
  { change: { verbosity: 4 }, restarted: ["server", "agent"] },
  { change: { logFormat: "json" }, restarted: ["server", "agent"] },
  // Their owners may push images.
  { change: { kubeconfigs: ["/tmp/other"] }, restarted: ["agent"] },
];

for (const { change, restarted } of cases) {
  test(`startDigest() after ${JSON.stringify(change)} differs for: ${restarted}`, () => {
    const differ = (["server", "agent"] as const).filter(
      (program) =>
        startDigest(program, paths, settings) !==
        startDigest(program, paths, { ...settings, ...change }),
    );
    assert.deepEqual(differ, restarted);
  });
}

test("startDigest() differs for another version", () => {
  const digests = ["0.1.0", "0.2.0"].map((version) =>
    startDigest("server", paths, settings, version),
  );
  assert.notEqual(digests[0], digests[1]);
});
