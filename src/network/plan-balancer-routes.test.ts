import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { type Cidr, parseCidr } from "#/std/net/cidr.ts";
import { planBalancerRoutes, planRouteChanges } from "./plan-balancer-routes.ts";

const pools = [parseCidr("198.18.0.0/24")].filter((cidr): cidr is Cidr => cidr !== undefined);
const node = (name: string, address: string): Node => ({
  metadata: { name },
  spec: {},
  status: { addresses: [{ type: "InternalIP", address }] },
});
const nodes = [node("a", "10.0.0.1"), node("b", "10.0.0.2")];
const service = (externalTrafficPolicy: "Local" | "Cluster", ip = "198.18.0.7"): Service => ({
  metadata: { name: "web", namespace: "x" },
  spec: { type: "LoadBalancer", externalTrafficPolicy },
  status: { loadBalancer: { ingress: [{ ip }] } },
});
const slice = (
  namespace: string,
  ...on: readonly (readonly [string, boolean?])[]
): EndpointSlice => ({
  metadata: { name: "web-1", namespace, labels: { "kubernetes.io/service-name": "web" } },
  addressType: "IPv4",
  endpoints: on.map(([nodeName, ready]) => ({
    addresses: ["10.244.0.2"],
    nodeName,
    conditions: ready === undefined ? {} : { ready },
  })),
});

for (const [claim, one, slices, expected] of [
  ["lead to the nodes with Pods", service("Local"), [slice("x", ["b"])], "10.0.0.2"],
  [
    "lead to the node with the most",
    service("Local"),
    [slice("x", ["a"], ["b"], ["b"])],
    "10.0.0.2",
  ],
  ["lead to the first of several", service("Local"), [slice("x", ["b"], ["a"])], "10.0.0.1"],
  [
    "pass over Pods that are not ready",
    service("Local"),
    [slice("x", ["a", false], ["b", true])],
    "10.0.0.2",
  ],
  ["pass over other namespaces", service("Local"), [slice("y", ["a"])], ""],
  ["are not needed for other policies", service("Cluster"), [slice("x", ["a"])], ""],
  ["stay in the pool", service("Local", "192.0.2.1"), [slice("x", ["a"])], ""],
  ["lead to known nodes", service("Local"), [slice("x", ["c"])], ""],
] as const) {
  test(`planBalancerRoutes(): routes ${claim}`, () => {
    const planned = planBalancerRoutes({ services: [one], slices, nodes }, pools);
    const routes = expected === "" ? [] : [{ address: "198.18.0.7", via: expected }];
    assert.deepEqual(planned, routes);
  });
}

test("planRouteChanges() leaves the routes of other pools, which are other clusters'", () => {
  const listed = [
    { dst: "198.18.0.7", gateway: "10.0.0.1" },
    { dst: "198.18.0.8", gateway: "10.0.0.1" },
    { dst: "198.18.0.9", gateway: "10.0.0.1" },
    { dst: "198.19.0.7", gateway: "10.0.1.1" },
  ];
  const wanted = [
    { address: "198.18.0.7", via: "10.0.0.1" },
    { address: "198.18.0.8", via: "10.0.0.2" },
  ];
  assert.deepEqual(planRouteChanges(wanted, listed, pools), {
    added: [{ address: "198.18.0.8", via: "10.0.0.2" }],
    removed: ["198.18.0.9"],
  });
});
