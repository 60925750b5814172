import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, NodeAddress } from "#/api/core/v1.ts";
import { type Cidr, parseCidr } from "#/std/net/cidr.ts";
import type { Route } from "../../base/provider.ts";
import { parseClusterCidrs } from "./node-route.ts";
import { planRoutes } from "./plan-routes.ts";

const cluster = [parseCidr("10.120.0.0/16")].filter((cidr): cidr is Cidr => cidr !== undefined);
const address: NodeAddress = { type: "InternalIP", address: "10.0.1.1" };
const node = (name: string, ...podCIDRs: string[]): Node => ({
  metadata: { name, uid: `uid-${name}` },
  spec: { podCIDRs },
  status: { addresses: [address] },
});
const route = (targetNode: string, destinationCidr: string, rest: Partial<Route> = {}): Route => ({
  name: `${targetNode}-route`,
  targetNode,
  destinationCidr,
  isBlackhole: false,
  ...rest,
});

interface Case {
  readonly claim: string;
  readonly nodes: readonly Node[];
  readonly routes: readonly Route[];
  readonly create?: readonly string[];
  readonly remove?: readonly string[];
}

const a = node("a", "10.120.0.0/24");
const cases: readonly Case[] = [
  {
    claim: "creates what is missing",
    nodes: [a, node("b", "10.120.1.0/24")],
    routes: [route("a", "10.120.0.0/24")],
    create: ["b 10.120.1.0/24"],
  },
  {
    claim: "creates one for each network",
    nodes: [node("a", "10.120.0.0/24", "fd00::/64")],
    routes: [],
    create: ["a 10.120.0.0/24", "a fd00::/64"],
  },
  {
    claim: "removes that of a deleted node",
    nodes: [],
    routes: [route("a", "10.120.0.0/24")],
    remove: ["a 10.120.0.0/24"],
  },
  {
    claim: "replaces that of another node",
    nodes: [a],
    routes: [route("b", "10.120.0.0/24")],
    create: ["a 10.120.0.0/24"],
    remove: ["b 10.120.0.0/24"],
  },
  { claim: "leaves routes outside of the cluster", nodes: [], routes: [route("a", "10.1.0.0/24")] },
  {
    claim: "removes black holes",
    nodes: [],
    routes: [route("", "10.120.3.0/24", { isBlackhole: true })],
    remove: [" 10.120.3.0/24"],
  },
  { claim: "leaves nodes without a network", nodes: [node("a")], routes: [] },
  {
    claim: "keeps those with the node's addresses",
    nodes: [a],
    routes: [route("a", "10.120.0.0/24", { targetNodeAddresses: [address] })],
  },
  {
    claim: "replaces those with other addresses",
    nodes: [a],
    routes: [
      route("a", "10.120.0.0/24", { targetNodeAddresses: [{ ...address, address: "10.0.1.9" }] }),
    ],
    create: ["a 10.120.0.0/24"],
    remove: ["a 10.120.0.0/24"],
  },
];

for (const { claim, nodes, routes, create = [], remove = [] } of cases) {
  test(`planRoutes() ${claim}`, () => {
    const plan = planRoutes(nodes, routes, cluster);
    const text = ({ targetNode, destinationCidr }: Route) => `${targetNode} ${destinationCidr}`;
    assert.deepEqual(
      plan.create.map((one) => text(one.route)),
      create,
    );
    assert.deepEqual(plan.remove.map(text), remove);
  });
}

for (const [text, problem] of [
  ["10.0.0.0/8", ""],
  ["10.0.0.0/8,fd00::/48", ""],
  ["", "invalid CIDR address: "],
  [
    "10.0.0.0/8,11.0.0.0/8",
    "len of ClusterCIDRs==2 and they are not configured as dual stack (at least one from each IPFamily",
  ],
  ["10.0.0.0/8,fd00::/48,11.0.0.0/8", "length of clusterCIDRs is:3 more than max allowed of 2"],
] as const) {
  test(`parseClusterCidrs() of "${text}": ${problem || "valid"}`, () => {
    if (problem === "") parseClusterCidrs(text);
    else assert.throws(() => parseClusterCidrs(text), { message: problem });
  });
}
