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
    problems: ["--pod-network-cidr=foo is no network such as 10.244.0.0/16 or fd00:10:244::/56"],
  },
  {
    settings: {
      podCidr: "10.244.0.0/16,fd00:244::/56",
      serviceCidr: "10.96.0.0/12,fd00:96::/112",
      otherNodeIp: "fd00:1::2",
      lbPool: "198.18.0.0/24,fd00:18::/112",
    },
    problems: [],
  },
  {
    settings: {
      podCidr: "fd00:244::/56",
      serviceCidr: "fd00:96::/112",
      nodeIp: "fd00:1::2",
      lbPool: "fd00:18::/112",
    },
    problems: [],
  },
  {
    settings: { podCidr: "10.244.0.0/16,fd00:244::/56" },
    problems: [
      "--service-cidr=10.96.0.0/12 and --pod-network-cidr=10.244.0.0/16,fd00:244::/56 need the same families in the same order",
    ],
  },
  {
    settings: { podCidr: "10.244.0.0/16,10.245.0.0/16" },
    problems: [
      "10.244.0.0/16,10.245.0.0/16 has two networks of one family; give at most one of IPv4 and of IPv6",
    ],
  },
  {
    settings: { podCidr: "fd00:244::/56", serviceCidr: "fd00:96::/112", nodeIp: "fd00:1::2" },
    problems: [
      "--lb-pool=198.18.0.0/24 is of a family that --pod-network-cidr=fd00:244::/56 lacks",
    ],
  },
  {
    settings: { podCidr: "10.244.0.0/16,fd00:244::/32", serviceCidr: "10.96.0.0/12,fd00:96::/112" },
    problems: ["--pod-network-cidr=fd00:244::/32 is too wide: from /48 to /64"],
  },
  {
    settings: { otherNodeIp: "fd00::2" },
    problems: ["--node-ip=fd00::2 is of a family that no Pod has"],
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
    settings: { name: "a-crio" },
    problems: [
      "--name=a-crio can't be used: names of clusters end in no name of a program (server, agent, etcd, containerd, crio, dockerd, cri-dockerd, pods), as their units would have one name; try a-crio-1",
    ],
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
    settings: { runtime: "docker", registryMirrors: ["quay.io=https://mirror.example"] },
    problems: [
      "--registry-mirror=quay.io=https://mirror.example can't be used: Docker asks mirrors of docker.io only",
    ],
  },
  {
    settings: { runtimeEndpoint: "unix:///x", registryMirrors: ["quay.io=https://mirror.example"] },
    problems: [
      "--registry-mirror needs a runtime that k8ts runs; configure mirrors in your own runtime itself",
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
      "--pod-network-cidr= is no network such as 10.244.0.0/16 or fd00:10:244::/56",
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
