import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { formatFieldErrors } from "#/machinery/meta/field-error.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { configurationFromFile } from "./configuration-from-file.ts";
import { proxyFlags } from "./flags.ts";
import { defaultConfiguration } from "./kube-proxy-configuration.ts";
import { loadConfiguration } from "./load-configuration.ts";
import { validateConfiguration } from "./validate-configuration.ts";

const load = (...args: string[]) => loadConfiguration(parseFlags(proxyFlags, args));

test("loadConfiguration() has upstream's defaults", async () => {
  const config = await load();
  assert.deepEqual(
    [config.mode, config.healthzBindAddress, config.metricsBindAddress, config.detectLocalMode],
    ["", "0.0.0.0:10256", "127.0.0.1:10249", "ClusterCIDR"],
  );
  assert.deepEqual((await load("--proxy-mode=nftables")).nodePortAddresses, ["primary"]);
  assert.equal((await load("--bind-address=::")).metricsBindAddress, "[::1]:10249");
});

test("loadConfiguration() takes flags", async () => {
  const config = await load(
    "--masquerade-all",
    "--iptables-min-sync-period=0s",
    "--cluster-cidr=10.0.0.0/8,fd00::/48",
    "--hostname-override= Node-A ",
    "--healthz-port=0",
    "--metrics-bind-address=192.0.2.1",
    "--conntrack-tcp-timeout-established=0s",
  );
  assert.equal(config.nftables.masqueradeAll, true);
  assert.equal(config.iptables.minSyncPeriod, "0s");
  assert.equal(config.hostnameOverride, "node-a");
  assert.equal(config.healthzBindAddress, "");
  assert.equal(config.metricsBindAddress, "192.0.2.1:10249");
  assert.equal(config.conntrack.tcpEstablishedTimeout, "0s");
  assert.deepEqual(validateConfiguration(config), []);
});

test("loadConfiguration() prefers a file to most flags", async () => {
  const directory = await mkdtemp(join(tmpdir(), "proxy-config-"));
  const file = join(directory, "config.yaml");
  await writeFile(
    file,
    `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
clusterCIDR: 10.0.0.0/8
nftables: {minSyncPeriod: 0s, syncPeriod: 10s}
conntrack: {maxPerCore: 0}
unknown: 1
`,
  );
  const config = await load(`--config=${file}`, "--proxy-mode=iptables", "--hostname-override=x");
  await rm(directory, { recursive: true });
  assert.deepEqual(
    [config.mode, config.nftables.syncPeriod, config.nftables.minSyncPeriod],
    ["nftables", "10s", "1s"],
  );
  assert.deepEqual([config.conntrack.maxPerCore, config.hostnameOverride], [0, "x"]);
});

test("configurationFromFile() refuses other kinds", () => {
  assert.throws(() => configurationFromFile("apiVersion: v1\nkind: Pod"), /no kind "Pod"/);
});

for (const [change, message] of [
  [
    { mode: "userspace" },
    'KubeProxyConfiguration.Mode.ProxyMode: Invalid value: "userspace": must be iptables, ipvs, nftables or blank (blank means the best-available proxy [currently iptables])',
  ],
  [
    { mode: "ipvs", featureGates: { KubeProxyIPVS: false } },
    'KubeProxyConfiguration.Mode.ProxyMode: Invalid value: "ipvs": must be iptables, nftables or blank (blank means the best-available proxy [currently iptables])',
  ],
  [
    { nodePortAddresses: ["primary", "x", "primary"] },
    "[KubeProxyConfiguration.NodePortAddresses[1]: Invalid value: \"x\": must be a valid CIDR or one of the keywords 'primary', 'localhost', 'all', KubeProxyConfiguration.NodePortAddresses[2]: Duplicate value: \"primary\"]",
  ],
  [
    { healthzBindAddress: "x" },
    'KubeProxyConfiguration.HealthzBindAddress: Invalid value: "x": must be IP:port',
  ],
  [
    { detectLocalMode: "BridgeInterface" as const },
    'KubeProxyConfiguration.DetectLocalConfiguration.InterfaceName: Invalid value: "": must not be empty',
  ],
  [
    { detectLocalMode: "ClusterCIDR" as const, clusterCIDR: "10.0.0.0/8,11.0.0.0/8" },
    'KubeProxyConfiguration.DetectLocalConfiguration.ClusterCIDRs: Invalid value: ["10.0.0.0/8","11.0.0.0/8"]: must be a either a single CIDR or dual-stack pair of CIDRs (e.g. [10.100.0.0/16, fde4:8dba:82e1::/48]',
  ],
  [
    { oomScoreAdj: 2000 },
    "KubeProxyConfiguration.KubeProxyLinuxConfiguration.OOMScoreAdj: Invalid value: 2000: must be within the range [-1000, 1000]",
  ],
] as const) {
  test(`validateConfiguration() reports ${message.slice(0, 60)}`, () => {
    const config = { ...defaultConfiguration(), ...change } as ReturnType<
      typeof defaultConfiguration
    >;
    assert.equal(formatFieldErrors(validateConfiguration(config)), message);
  });
}
