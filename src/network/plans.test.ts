import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCidr } from "#/std/net/cidr.ts";
import { cniConfig } from "./cni-config.ts";
import { masqueradeCommands, masqueradeRestore } from "./masquerade.ts";
import { gatewayOf, type NetworkNode, networkNode, tunnelMac } from "./network-node.ts";
import { type NetworkBackend, neighbourNetworks, planRoutes } from "./plan-routes.ts";

const nodes = [
  { name: "n1", ips: ["192.168.7.1"], podCidrs: ["10.244.1.0/24"] },
  { name: "n2", ips: ["192.168.7.2", "fd00:7::2"], podCidrs: ["10.244.2.0/24", "fd00:244:2::/64"] },
  { name: "n3", ips: ["192.168.8.3"], podCidrs: ["10.244.3.0/24"] },
];
const self = nodes[0] as NetworkNode;
const linkNetworks = ["192.168.7.1/24", "fd00:7::1/64"].flatMap((text) => parseCidr(text) ?? []);
const direct = { destination: "10.244.2.0/24", via: "192.168.7.2" };
const ipv6 = { destination: "fd00:244:2::/64", via: "fd00:7::2" };
const tunnel = { remote: "192.168.8.3", mac: "0a:6b:c0:a8:08:03" };

for (const [backend, expected] of [
  ["auto", [direct, ipv6, { destination: "10.244.3.0/24", via: "10.244.3.0", tunnel }]],
  ["direct", [direct, ipv6, { destination: "10.244.3.0/24", via: "192.168.8.3" }]],
  [
    "vxlan",
    [
      {
        destination: "10.244.2.0/24",
        via: "10.244.2.0",
        tunnel: { remote: "192.168.7.2", mac: "0a:6b:c0:a8:07:02" },
      },
      { destination: "10.244.3.0/24", via: "10.244.3.0", tunnel },
    ],
  ],
] as const satisfies [NetworkBackend, unknown][]) {
  test(`planRoutes() leads to the pods of other nodes with backend ${backend}`, () => {
    assert.deepEqual(
      planRoutes(self, nodes, { backend, linkNetworks, clusterNetworks: [] }),
      expected,
    );
  });
}

const families = (ips: string[], podCidrs: string[]) => ({ ips, podCidrs });
for (const { why, here, there, routes } of [
  {
    why: "both families by IPv4",
    here: families(["192.168.7.1", "fd00:7::1"], ["10.244.1.0/24", "fd00:244:1::/64"]),
    there: families(["192.168.8.2", "fd00:8::2"], ["10.244.2.0/24", "fd00:244:2::/64"]),
    routes: ["10.244.2.0/24 192.168.8.2", "fd00:244:2::/64 192.168.8.2"],
  },
  {
    why: "both families by IPv4 alone",
    here: families(["192.168.7.1"], ["fd00:244:1::/64", "10.244.1.0/24"]),
    there: families(["192.168.8.2"], ["fd00:244:2::/64", "10.244.2.0/24"]),
    routes: ["fd00:244:2::/64 192.168.8.2", "10.244.2.0/24 192.168.8.2"],
  },
  {
    why: "IPv6 by IPv6",
    here: families(["fd00:7::1"], ["fd00:244:1::/64"]),
    there: families(["fd00:8::2"], ["fd00:244:2::/64"]),
    routes: ["fd00:244:2::/64 fd00:8::2"],
  },
  {
    why: "no family that this node's Pods lack",
    here: families(["192.168.7.1"], ["10.244.1.0/24"]),
    there: families(["192.168.8.2"], ["10.244.2.0/24", "fd00:244:2::/64"]),
    routes: ["10.244.2.0/24 192.168.8.2"],
  },
  {
    why: "nothing to a node without an address of the tunnel's family",
    here: families(["192.168.7.1"], ["fd00:244:1::/64"]),
    there: families(["fd00:8::2"], ["fd00:244:2::/64"]),
    routes: [],
  },
]) {
  test(`planRoutes() tunnels ${why}`, () => {
    const [a, b] = [
      { name: "a", ...here },
      { name: "b", ...there },
    ];
    const planned = planRoutes(a, [a, b], {
      backend: "auto",
      linkNetworks: [],
      clusterNetworks: [],
    });
    assert.deepEqual(
      planned.map(({ destination, tunnel }) => `${destination} ${tunnel?.remote}`),
      routes,
    );
  });
}

test("tunnelMac() differs for nodes whose IPv6 addresses end alike", () => {
  const macs = ["fd00:7:0:1::2", "fd00:7:0:2::2"].map(tunnelMac);
  assert.equal(new Set(macs).size, 2);
  for (const mac of macs) assert.match(mac, /^0a:6b(:[0-9a-f]{2}){4}$/);
});

test("neighbourNetworks() has the networks that contain the node's own address", () => {
  const link = (ifname: string, ...addresses: [string, number][]) => ({
    ifname,
    mtu: 1500,
    addr_info: addresses.map(([local, prefixlen]) => ({ local, prefixlen })),
  });
  const links = [
    link("eth0", ["192.168.7.1", 24], ["192.168.9.1", 24], ["fd00:9::1", 64]),
    // The veth link of a node in a network namespace.
    link("k8ts0", ["10.191.0.1", 30]),
  ];
  assert.deepEqual(
    neighbourNetworks(links, { ...self, ips: ["192.168.7.1", "fd00:9::1"] }),
    ["192.168.7.1/24", "fd00:9::1/64"].map((text) => parseCidr(text)),
  );
});

test("networkNode() is undefined until a node has addresses and networks", () => {
  const status = { addresses: [{ type: "InternalIP" as const, address: "192.168.7.1" }] };
  const metadata = { name: "n1" };
  assert.equal(networkNode({ metadata, spec: {}, status }), undefined);
  assert.equal(networkNode({ metadata, spec: { podCIDR: "10.244.1.0/24" } }), undefined);
  assert.deepEqual(networkNode({ metadata, spec: { podCIDR: "10.244.1.0/24" }, status }), nodes[0]);
  assert.deepEqual(
    [gatewayOf("10.244.1.0/24"), tunnelMac("1.2.3.4")],
    ["10.244.1.1", "0a:6b:01:02:03:04"],
  );
});

test("cniConfig() gives pods addresses of every network of the node", () => {
  const podCidrs = ["10.244.1.0/24", "fd00:244:1::/64"];
  const config = JSON.parse(cniConfig({ bridge: "cni0", podCidrs, mtu: 1450 }));
  assert.deepEqual(config.plugins[0].ipam, {
    type: "host-local",
    ranges: [[{ subnet: "10.244.1.0/24" }], [{ subnet: "fd00:244:1::/64" }]],
    routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0" }],
  });
  assert.equal(config.plugins[0].mtu, 1450);
  // CRI-O obeys this; without it, none of its Pods would start.
  assert.equal(config.disableCheck, true);
  const apart = JSON.parse(cniConfig({ dataDir: "/d", bridge: "cni0", podCidrs, mtu: 0 }));
  assert.equal(apart.plugins[0].ipam.dataDir, "/d");
});

test("masqueradeCommands() and masqueradeRestore() exclude packets within the cluster", () => {
  const options = { podCidrs: ["10.244.1.0/24"], clusterCidrs: ["10.244.0.0/16"] };
  const match = "ip saddr { 10.244.1.0/24 } ip daddr != { 10.244.0.0/16, 224.0.0.0/4 }";
  assert(masqueradeCommands("ip", options).includes(`${match} masquerade fully-random`));
  assert.equal(
    masqueradeRestore("ip", options),
    `*nat
:K8TS-NETWORK - [0:0]
-A K8TS-NETWORK -s 10.244.1.0/24 -d 10.244.0.0/16 -j RETURN
-A K8TS-NETWORK -s 10.244.1.0/24 -d 224.0.0.0/4 -j RETURN
-A K8TS-NETWORK -s 10.244.1.0/24 -j MASQUERADE --random-fully
COMMIT
`,
  );
});

const claims: { readonly why: string; readonly podCidrs: string[]; readonly routed: string[] }[] = [
  { why: "free", podCidrs: ["10.244.9.0/24"], routed: ["10.244.9.0/24"] },
  { why: "outside of the cluster's", podCidrs: ["8.0.0.0/8"], routed: [] },
  { why: "everything", podCidrs: ["0.0.0.0/0", "::/0"], routed: [] },
  { why: "the whole cluster's", podCidrs: ["10.244.0.0/16"], routed: [] },
  { why: "this node's own", podCidrs: ["10.244.1.0/24"], routed: [] },
  { why: "a part of this node's", podCidrs: ["10.244.1.128/25"], routed: [] },
  { why: "an older node's", podCidrs: ["10.244.3.0/24"], routed: [] },
  { why: "one address of an older node's", podCidrs: ["10.244.3.7/32"], routed: [] },
  { why: "around an older node's", podCidrs: ["10.244.2.0/23"], routed: [] },
];
for (const { why, podCidrs, routed } of claims) {
  test(`planRoutes() for a node whose network is ${why}: ${podCidrs}`, () => {
    const clusterNetworks = ["10.244.0.0/16"].flatMap((text) => parseCidr(text) ?? []);
    const options = { backend: "vxlan", linkNetworks: [], clusterNetworks } as const;
    const newest = { name: "a", ips: ["192.168.7.9", "fd00::9"], podCidrs };
    const destinations = planRoutes(self, [...nodes, newest], options).map(
      (route) => route.destination,
    );
    assert.deepEqual(destinations, ["10.244.2.0/24", "10.244.3.0/24", ...routed]);
  });
}

test("networkNode() ignores addresses that no machine has", () => {
  const of = (address: string) =>
    networkNode({
      metadata: { name: "n" },
      spec: { podCIDR: "10.244.1.0/24" },
      status: { addresses: [{ type: "InternalIP", address }] },
    });
  for (const address of [
    "0.0.0.0",
    "127.0.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::ffff:127.0.0.1",
    "fe80::1",
  ]) {
    assert.equal(of(address), undefined, address);
  }
  assert.deepEqual(of("192.168.7.1")?.ips, ["192.168.7.1"]);
});
