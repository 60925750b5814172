import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterSettings } from "../base/settings.ts";
import { checkTimeout, type MachineNetwork, settingsProblems } from "./settings-problems.ts";

const good: ClusterSettings = {
  name: "k8ts",
  role: "server",
  nodeName: "machine",
  nodeIp: "192.168.1.2",
  isNodeIpFixed: false,
  server: "https://192.168.1.2:6443",
  serverNames: [],
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/12",
  clusterDomain: "cluster.local",
  lbPool: "198.18.0.0/24",
  disabled: [],
  runtime: "containerd",
  proxyMode: "nftables",
  antiSpoofing: true,
  kubeconfigs: [],
  verbosity: 0,
  logFormat: "text",
};
const lan: MachineNetwork = { name: "eth0", cidr: "192.168.1.2/24" };

const cases: readonly {
  settings: Partial<ClusterSettings>;
  networks?: readonly MachineNetwork[];
  problems: readonly string[];
}[] = [
  { settings: {}, problems: [] },
  { settings: { serverNames: ["k8s.example.org", "*.lan", "10.1.2.3", "fd00::1"] }, problems: [] },
  { settings: { nodeName: "a.b-c.example" }, problems: [] },
  {
    settings: { podCidr: "foo" },
    problems: ["--pod-network-cidr=foo is no IPv4 network such as 10.244.0.0/16"],
  },
  {
    settings: { podCidr: "fd00::/64" },
    problems: ["--pod-network-cidr=fd00::/64 is no IPv4 network such as 10.244.0.0/16"],
  },
  {
    settings: { podCidr: "10.244.0.1/16" },
    problems: [
      "--pod-network-cidr=10.244.0.1/16 is an address in the network 10.244.0.0/16; name that",
    ],
  },
  {
    settings: { podCidr: "10.244.0.0/25" },
    problems: ["--pod-network-cidr=10.244.0.0/25 is too small: from /8 to /24"],
  },
  {
    settings: { serviceCidr: "10.0.0.0/8" },
    problems: ["--service-cidr=10.0.0.0/8 is too wide: from /12 to /28"],
  },
  {
    settings: { podCidr: "10.100.0.0/16" },
    problems: ["--pod-network-cidr=10.100.0.0/16 and --service-cidr=10.96.0.0/12 overlap"],
  },
  {
    settings: { podCidr: "192.168.0.0/16" },
    networks: [{ name: "eth1", cidr: "172.16.0.1/30" }, lan],
    problems: [
      "--pod-network-cidr=192.168.0.0/16 overlaps the network 192.168.1.2/24 of interface eth0; choose another",
    ],
  },
  {
    settings: { lbPool: "192.168.1.240/28" },
    networks: [lan],
    problems: [
      "--lb-pool=192.168.1.240/28 overlaps the network 192.168.1.2/24 of interface eth0; choose another",
    ],
  },
  { settings: { lbPool: "192.168.1.240/28", lbAnnounce: true }, networks: [lan], problems: [] },
  {
    settings: { lbPool: "192.168.1.0/28", lbAnnounce: true },
    networks: [lan],
    problems: [
      "--lb-pool=192.168.1.0/28 overlaps the network 192.168.1.2/24 of interface eth0; choose another",
    ],
  },
  {
    settings: { proxyMode: "userspace" },
    problems: ["--proxy-mode=userspace is unknown; it is one of: nftables, iptables, ipvs"],
  },
  {
    settings: { runtime: "rkt" },
    problems: ["--runtime=rkt is unknown; it is one of: containerd, crio, docker"],
  },
  {
    settings: { runtime: "crio", runtimeEndpoint: "unix:///run/x.sock" },
    problems: [
      "--container-runtime-endpoint names a runtime that runs already: leave out --runtime and --runtime-dir",
    ],
  },
  {
    settings: { server: "https://192.168.1.2:99999" },
    problems: ["--secure-port=99999 is no port: it is 1 to 65535"],
  },
  {
    settings: { server: "https://192.168.1.2:0" },
    problems: ["--secure-port=0 is no port: it is 1 to 65535"],
  },
  {
    settings: { server: "https://192.168.1.2:10250" },
    problems: ["--secure-port=10250 is taken by another program of the node; choose another"],
  },
  {
    settings: { nodeName: "My_Machine" },
    problems: [
      '"My_Machine" is no name of a node (at most 63 lower-case letters, digits, "-" and "."); choose one with --node-name',
    ],
  },
  { settings: { nodeIp: "home" }, problems: ["--node-ip=home is no IPv4 address"] },
  {
    settings: { clusterDomain: "cluster local" },
    problems: ["--service-dns-domain=cluster local is no domain such as cluster.local"],
  },
  {
    settings: { serverNames: ["a b"] },
    problems: ["--tls-san=a b is neither a name nor an address"],
  },
  {
    settings: { proxyMode: "", podCidr: "" },
    problems: [
      "--pod-network-cidr= is no IPv4 network such as 10.244.0.0/16",
      "--proxy-mode= is unknown; it is one of: nftables, iptables, ipvs",
    ],
  },
];

for (const { settings, networks = [lan], problems } of cases) {
  test(`settingsProblems() of ${JSON.stringify(settings)}`, () => {
    assert.deepEqual(settingsProblems({ ...good, ...settings }, networks), problems);
  });
}

test("checkTimeout() refuses a wait that ends before it begins", () => {
  checkTimeout(1);
  for (const ms of [0, -5000]) assert.throws(() => checkTimeout(ms), /longer than 0s/);
});
