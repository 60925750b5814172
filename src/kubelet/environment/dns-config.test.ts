import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod, PodSpec } from "#/api/core/v1.ts";
import { podDnsConfig } from "./dns-config.ts";
import { podHostname } from "./hostname.ts";
import { hostNetworkHostsFile, managedHostsFile } from "./hosts-file.ts";
import { parseResolvConf } from "./parse-resolv-conf.ts";

const settings = {
  clusterDNS: ["10.96.0.10"],
  clusterDomain: "cluster.local",
  resolvConf: "nameserver 8.8.8.8\nsearch example.com.\noptions ndots:2\n",
  nodeIPs: ["10.0.0.1"],
};
const podOf = (spec: Partial<PodSpec>): Pod => ({
  metadata: { name: "p", namespace: "a", uid: "u" },
  spec: { containers: [], ...spec },
});

const cases: { name: string; spec: Partial<PodSpec>; expected: unknown }[] = [
  {
    name: "ClusterFirst",
    spec: { dnsPolicy: "ClusterFirst" },
    expected: {
      servers: ["10.96.0.10"],
      searches: ["a.svc.cluster.local", "svc.cluster.local", "cluster.local", "example.com"],
      options: ["ndots:5"],
    },
  },
  {
    name: "Default",
    spec: { dnsPolicy: "Default" },
    expected: { servers: ["8.8.8.8"], searches: ["example.com"], options: ["ndots:2"] },
  },
  {
    name: "ClusterFirst in the node's network",
    spec: { dnsPolicy: "ClusterFirst", hostNetwork: true },
    expected: { servers: ["8.8.8.8"], searches: ["example.com"], options: ["ndots:2"] },
  },
  {
    name: "None with settings",
    spec: {
      dnsPolicy: "None",
      dnsConfig: {
        nameservers: ["1.1.1.1"],
        searches: ["x.y"],
        options: [{ name: "ndots", value: "1" }, { name: "edns0" }],
      },
    },
    expected: { servers: ["1.1.1.1"], searches: ["x.y"], options: ["ndots:1", "edns0"] },
  },
];
for (const { name, spec, expected } of cases) {
  test(`podDnsConfig() follows ${name}`, () => {
    assert.deepEqual(podDnsConfig(podOf(spec), settings), { config: expected, warnings: [] });
  });
}

test("podDnsConfig() cuts entries over the resolver's limits", () => {
  const pod = podOf({ dnsPolicy: "None", dnsConfig: { nameservers: ["1", "2", "3", "4"] } });
  const { config, warnings } = podDnsConfig(pod, settings);
  assert.deepEqual(config.servers, ["1", "2", "3"]);
  assert.equal(
    warnings[0]?.message,
    "Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 1 2 3",
  );
});

test("parseResolvConf() uses the last search line and later options", () => {
  assert.deepEqual(parseResolvConf("search a\nsearch b .\n# x\noptions x:1\noptions x:2"), {
    servers: [],
    searches: ["b"],
    options: ["x:2"],
  });
});

test("podHostname() cuts long names and adds the subdomain", () => {
  const pod = podOf({ hostname: "h", subdomain: "s" });
  const name = podHostname(pod, "cluster.local");
  assert.deepEqual(name, { hostname: "h", domain: "s.a.svc.cluster.local" });
  const long = { ...podOf({}), metadata: { name: `${"x".repeat(62)}-y` } };
  assert.equal(podHostname(long, "cluster.local").hostname, "x".repeat(62));
});

test("hosts files contain the pod's name and its aliases", () => {
  const hostAliases = [{ ip: "1.2.3.4", hostnames: ["x", "y"] }];
  const aliases = "\n# Entries added by HostAliases.\n1.2.3.4\tx\ty\n";
  const options = { podIPs: ["10.1.0.7"], hostname: "h", domain: "d", hostAliases };
  assert.equal(
    managedHostsFile(options).split("\n").slice(7).join("\n"),
    `10.1.0.7\th.d\th\n${aliases}`,
  );
  assert.equal(
    hostNetworkHostsFile("127.0.0.1 localhost\n", hostAliases),
    `# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost\n${aliases}`,
  );
});
