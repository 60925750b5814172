import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterSettings } from "../base/settings.ts";
import { checkParts } from "./check-parts.ts";

const settings: ClusterSettings = {
  name: "k8ts",
  role: "server",
  nodeName: "machine",
  nodeIp: "192.0.2.2",
  isNodeIpFixed: false,
  server: "https://192.0.2.2:6443",
  serverNames: [],
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/12",
  clusterDomain: "cluster.local",
  lbPool: "198.18.0.0/24",
  disabled: [],
  runtime: "containerd",
  proxyMode: "nftables",
  antiSpoofing: true,
  encryptsSecrets: true,
  kubeconfigs: [],
  verbosity: 0,
  logFormat: "text",
};

const cases: readonly { args: readonly string[]; problem?: RegExp }[] = [
  { args: ["event-ttl=2h"] },
  { args: ["feature-gates=NoSuchGate=true"], problem: /unrecognized feature gate: NoSuchGate/ },
  { args: ["--event-ttl=2h"], problem: /must be NAME=VALUE, without dashes/ },
  { args: ["secure-port=1"], problem: /set it with --secure-port/ },
  { args: ["encryption-provider-config=/x"], problem: /the cluster has a file of its own there/ },
];

for (const { args, problem } of cases) {
  const claim = problem ? "refuses" : "accepts";
  test(`checkParts() ${claim} --kube-apiserver-arg=${args}, of a cluster that is not there yet`, async () => {
    const checked = checkParts({ ...settings, partArgs: { "kube-apiserver": args } });
    if (problem) await assert.rejects(checked, problem);
    else await checked;
  });
}
