import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "#/api/core/v1.ts";
import { planSlices } from "./plan-slices.ts";

function node(name: string, podCIDRs: string[], ready: "True" | "False"): Node {
  return {
    metadata: { name },
    spec: { podCIDRs },
    status: { conditions: [{ type: "Ready", status: ready }] },
  };
}

test("planSlices() hints every node to its own pods, and marks nodes that aren't ready", () => {
  const nodes = [
    node("b", ["10.244.2.0/24", "fd00:244:2::/64"], "False"),
    node("a", ["10.244.1.0/24"], "True"),
    node("new", [], "True"),
  ];
  const slices = planSlices(nodes, 53);
  const endpoint = (name: string, address: string, ready: boolean) => ({
    addresses: [address],
    conditions: { ready, serving: ready, terminating: false },
    nodeName: name,
    hints: { forNodes: [{ name }] },
  });
  assert.deepEqual(
    slices.map(({ metadata, addressType, endpoints }) => [metadata.name, addressType, endpoints]),
    [
      [
        "kube-dns-ipv4-0",
        "IPv4",
        [endpoint("a", "10.244.1.1", true), endpoint("b", "10.244.2.1", false)],
      ],
      ["kube-dns-ipv6-0", "IPv6", [endpoint("b", "fd00:244:2::1", false)]],
    ],
  );
});
