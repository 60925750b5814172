import assert from "node:assert/strict";
import { test } from "node:test";
import { networkNode } from "#/network/network-node.ts";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { TestNode } from "#/testing/pod-network-node.ts";

const skip = !mayMakeNamespaces && "needs root";

/** A Node as its kubelet may create it. */
const created = (name: string, address: string, podCIDR: string) =>
  networkNode({
    metadata: { name },
    spec: { podCIDR, podCIDRs: [podCIDR] },
    status: { addresses: [{ type: "InternalIP", address }] },
  }) ?? [];

test("a node that chooses its networks and addresses leads away no packets of others", {
  skip,
}, async () => {
  await using fabric = await NetworkNamespace.create();
  const self = { name: "n1", ips: ["192.168.7.1"], podCidrs: ["10.244.1.0/24"] };
  await using node = await TestNode.create(self);
  await node.plugInto(fabric, "a0", "192.168.7.1/24");
  const honest = [
    created("n2", "192.168.7.2", "10.244.2.0/24"),
    created("n3", "192.168.8.3", "10.244.3.0/24"),
  ].flat();
  const hostile = [
    "0.0.0.0/1",
    "8.8.8.8/32",
    "10.96.0.0/12",
    "192.168.7.2/32",
    "10.244.0.0/16",
    "10.244.1.5/32",
    "10.244.2.5/32",
  ].map((cidr, index) => created(`evil${index}`, "192.168.7.66", cidr));
  const unreachable = ["0.0.0.0", "224.0.0.1", "255.255.255.255"].map((address, index) =>
    created(`odd${index}`, address, `10.244.${50 + index}.0/24`),
  );
  await node.network.apply(self, [self, ...honest, ...hostile.flat(), ...unreachable.flat()]);
  const routes = (await node.namespace.sh("ip -4 route show proto 107")).trim().split("\n");
  assert.deepEqual(
    routes.map((route) => route.split(" ").slice(0, 3).join(" ")),
    ["10.244.2.0/24 via 192.168.7.2", "10.244.3.0/24 via 10.244.3.0"],
  );
});
