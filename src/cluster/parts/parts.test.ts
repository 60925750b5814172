import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { clusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { cleanUpDisabled } from "./clean-up-disabled.ts";
import {
  disabledParts,
  disableProblems,
  enabledParts,
  manifestFiles,
  partStarts,
  programsOfPart,
} from "./enabled-parts.ts";
import { parts } from "./index.ts";

const settings: ClusterSettings = {
  name: "x",
  role: "server",
  nodeName: "n",
  nodeIp: "10.0.0.1",
  isNodeIpFixed: false,
  server: "https://10.0.0.1:6443",
  serverNames: [],
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/12",
  clusterDomain: "cluster.local",
  lbPool: "198.18.0.0/24",
  runtime: "containerd",
  proxyMode: "nftables",
  antiSpoofing: true,
  disabled: [],
  kubeconfigs: [],
  verbosity: 2,
  logFormat: "text",
};

for (const { disabled, server, agent } of [
  {
    disabled: [],
    server: [
      "kube-apiserver",
      "kube-controller-manager",
      "kube-scheduler",
      "cloud-controller-manager",
      "metrics-server",
      "gateway",
      "local-storage",
      "registry",
      "cluster-dns",
    ],
    agent: [
      "balancer",
      "kubelet",
      "local-storage",
      "registry",
      "kube-proxy",
      "cluster-dns",
      "network-policy",
      "network",
    ],
  },
  {
    disabled: ["cluster-dns", "kube-proxy"],
    server: [
      "kube-apiserver",
      "kube-controller-manager",
      "kube-scheduler",
      "cloud-controller-manager",
      "metrics-server",
      "gateway",
      "local-storage",
      "registry",
    ],
    agent: ["balancer", "kubelet", "local-storage", "registry", "network-policy", "network"],
  },
]) {
  test(`partStarts() without ${disabled.join(", ") || "exception"}`, () => {
    const context = {
      paths: clusterPaths("/srv/x"),
      settings: { ...settings, disabled },
      resolvConf: "/etc/resolv.conf",
    };
    const names = (program: "server" | "agent") =>
      partStarts(program, context).map(({ name }) => name);
    assert.deepEqual({ server: names("server"), agent: names("agent") }, { server, agent });
    const scheduler = partStarts("server", context).find(({ name }) => name === "kube-scheduler");
    assert.ok(scheduler?.args.includes("--kube-api-qps=-1"));
    for (const { args } of partStarts("agent", context)) assert.ok(args.includes("--v=2"));
  });
}

for (const { names, problems } of [
  { names: ["cluster-dns", "kube-proxy"], problems: [] },
  { names: ["dns"], problems: ["--disable=dns is unknown; did you mean cluster-dns?"] },
  { names: ["kube-prxy"], problems: ["--disable=kube-prxy is unknown; did you mean kube-proxy?"] },
  {
    names: ["traefik"],
    problems: [
      "--disable=traefik is unknown; it is one of: cloud-controller-manager, metrics-server, gateway, local-storage, registry, kube-proxy, cluster-dns, network-policy",
    ],
  },
  {
    names: ["kubelet"],
    problems: [
      "--disable=kubelet can't be used, as a cluster needs kubelet; it is one of: cloud-controller-manager, metrics-server, gateway, local-storage, registry, kube-proxy, cluster-dns, network-policy",
    ],
  },
]) {
  test(`disableProblems() of ${names}`, () => assert.deepEqual(disableProblems(names), problems));
}

test("every part runs in a program, and its name is its command's", async () => {
  for (const { name, load } of parts) {
    assert.ok(programsOfPart(name).length > 0, name);
    assert.equal(typeof (await load()).main, "function", name);
  }
});

test("manifestFiles() of all parts are the files of the folder", () => {
  const files = manifestFiles(parts);
  const folder = dirname(files[0] ?? "");
  assert.deepEqual(files.map((file) => basename(file)).sort(), readdirSync(folder).sort());
  const kept = manifestFiles(enabledParts({ ...settings, disabled: ["cluster-dns"] }));
  const gone = manifestFiles(disabledParts({ disabled: ["cluster-dns"] }));
  assert.deepEqual([...kept, ...gone].sort(), files.toSorted());
});

test("cleanUpDisabled() cleans up parts once that have run before, and retries after a failure", async () => {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-parts-"));
  const paths = clusterPaths(folder);
  mkdirSync(paths.run);
  const cleaned: string[] = [];
  const start = (disabled: readonly string[], fails = false) =>
    cleanUpDisabled("agent", paths, { ...settings, disabled }, async (name) => {
      cleaned.push(name);
      if (fails) throw new Error("busy");
    });
  await start(["kube-proxy"]);
  assert.deepEqual(cleaned, [], "what never ran has left nothing");
  await start([]);
  await start(["kube-proxy"], true);
  await start(["kube-proxy"]);
  await start(["kube-proxy"]);
  assert.deepEqual(cleaned, ["kube-proxy", "kube-proxy"]);
  assert.ok(existsSync(join(paths.run, "agent.parts")));
  assert.ok(!readFileSync(join(paths.run, "agent.parts"), "utf8").includes("kube-proxy"));
  rmSync(folder, { recursive: true });
});
