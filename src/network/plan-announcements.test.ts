import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { type Cidr, parseCidr } from "#/std/net/cidr.ts";
import { planAnnouncements } from "./plan-announcements.ts";

const pools = ["192.168.1.240/28", "fd00:1::f0/124"]
  .map((text) => parseCidr(text))
  .filter((cidr): cidr is Cidr => cidr !== undefined);
const links = [
  { ifname: "lo", mtu: 65_536, addr_info: [{ local: "127.0.0.1", prefixlen: 8 }] },
  {
    ifname: "eth0",
    mtu: 1500,
    addr_info: [
      { local: "192.168.1.2", prefixlen: 24 },
      { local: "fd00:1::2", prefixlen: 64 },
    ],
  },
];

const node = (name: string, ready = "True", labels: Record<string, string> = {}): Node => ({
  metadata: { name, labels },
  spec: {},
  status: { conditions: [{ type: "Ready", status: ready as "True" }] },
});
const service = (ips: readonly string[], policy: "Local" | "Cluster" = "Cluster"): Service => ({
  metadata: { name: "web", namespace: "x" },
  spec: { type: "LoadBalancer", externalTrafficPolicy: policy },
  status: { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } },
});
const slice = (nodeName: string): EndpointSlice => ({
  metadata: { name: "w", namespace: "x", labels: { "kubernetes.io/service-name": "web" } },
  addressType: "IPv4",
  endpoints: [{ addresses: ["10.244.0.2"], nodeName, conditions: { ready: true } }],
});

const excluded = { "node.kubernetes.io/exclude-from-external-load-balancers": "" };
const pool = Array.from({ length: 14 }, (_, index) => `192.168.1.${241 + index}`);

function announcers(
  ips: readonly string[],
  nodes: readonly Node[],
  {
    policy = "Cluster",
    slices = [],
  }: { policy?: "Local" | "Cluster"; slices?: EndpointSlice[] } = {},
): Map<string, string[]> {
  const objects = { services: [service(ips, policy)], slices, nodes };
  const found = new Map<string, string[]>();
  for (const { metadata } of nodes) {
    const name = metadata.name ?? "";
    for (const { address } of planAnnouncements(objects, { name, links, pools })) {
      found.set(address, [...(found.get(address) ?? []), name]);
    }
  }
  return found;
}

test("planAnnouncements(): each address is announced by one node, and nodes share them", () => {
  const found = announcers(pool, [node("a"), node("b"), node("c")]);
  assert.deepEqual([...found.keys()].toSorted(), pool);
  assert.ok([...found.values()].every((names) => names.length === 1));
  assert.equal(new Set([...found.values()].flat()).size, 3);
});

test("planAnnouncements(): a node that goes moves only its own addresses", () => {
  const before = announcers(pool, [node("a"), node("b"), node("c")]);
  const after = announcers(pool, [node("a"), node("b"), node("c", "Unknown")]);
  for (const [address, names] of before) {
    const now = after.get(address);
    if (names[0] === "c") assert.match(now?.[0] ?? "", /^[ab]$/);
    else assert.deepEqual(now, names);
  }
});

for (const { claim, nodes, given, expected } of [
  { claim: "nodes that are not ready announce nothing", nodes: [node("a", "False")], expected: [] },
  {
    claim: "excluded nodes announce nothing",
    nodes: [node("a", "True", excluded), node("b")],
    expected: ["b"],
  },
  {
    claim: "with the policy Local a node with Pods announces",
    nodes: [node("a"), node("b"), node("c")],
    given: { policy: "Local" as const, slices: [slice("b")] },
    expected: ["b"],
  },
  {
    claim: "with the policy Local and no Pods no node announces",
    nodes: [node("a"), node("b")],
    given: { policy: "Local" as const },
    expected: [],
  },
] as const) {
  test(`planAnnouncements(): ${claim}`, () => {
    const found = announcers(["192.168.1.241"], nodes, {
      ...given,
      slices: [...(given?.slices ?? [])],
    });
    assert.deepEqual(found.get("192.168.1.241") ?? [], expected);
  });
}

for (const { address, expected } of [
  { address: "192.168.1.241", expected: [{ address: "192.168.1.241", device: "eth0" }] },
  { address: "fd00:1::f1", expected: [{ address: "fd00:1::f1", device: "eth0" }] },
  { address: "192.168.1.9", expected: [] },
  { address: "203.0.113.1", expected: [] },
]) {
  test(`planAnnouncements() of ${address}: ${JSON.stringify(expected)}`, () => {
    const objects = { services: [service([address])], slices: [], nodes: [node("a")] };
    assert.deepEqual(planAnnouncements(objects, { name: "a", links, pools }), expected);
  });
}
