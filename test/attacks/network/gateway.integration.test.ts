import assert from "node:assert/strict";
import { test } from "node:test";
import { mayMakeNamespaces, type NetworkNamespace } from "#/testing/network-namespace.ts";
import { TestNode } from "#/testing/pod-network-node.ts";
import { until } from "#/testing/until.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };
const gateway = "10.244.1.1";

/** Announces an address by ARP, as a Pod with NET_RAW or NET_ADMIN can: the kernel does so when the link gets an address. */
async function announce(pod: NetworkNamespace, address: string, mac: string): Promise<void> {
  await pod.sh(`
    echo 1 > /proc/sys/net/ipv4/conf/eth0/arp_notify
    ip addr add ${address}/32 dev eth0
    ip link set eth0 address ${mac}
  `);
}

const macOf = async (pod: NetworkNamespace, device: string): Promise<string> =>
  /ether (\S+)/.exec(await pod.sh(`ip link show dev ${device}`))?.[1] ?? "";

test(
  "a Pod that announces the gateway's address does not get its neighbours' traffic",
  options,
  async (context) => {
    const node = { name: "n1", ips: ["192.168.7.1"], podCidrs: ["10.244.1.0/24"] };
    await using a = await TestNode.create(node);
    const probe = "nft 'add table bridge probe; delete table bridge probe'";
    const hasBridges = await a.namespace.sh(probe).then(
      () => true,
      () => false,
    );
    if (!hasBridges) return context.skip("the kernel has no packet rules for bridges");
    await a.network.apply(node, [node]);
    await a.addPod("10.244.1.5", gateway);
    const victim = await a.addNeighbour("10.244.1.6", gateway);
    const witness = await a.addNeighbour("10.244.1.7", gateway);
    await a.namespace.serveAddresses(80);
    await a.pod.serveAddresses(80);
    assert.equal(await victim.askAddress(gateway, 80), "10.244.1.6");
    const neighbours = () => victim.sh("ip neigh");
    // The harmless twin: an address that no Pod has is announced, and the neighbour learns it.
    await victim.sh("ip neigh replace 10.244.1.9 lladdr 02:00:00:00:00:09 dev eth0 nud stale");
    await victim.sh(
      `ip neigh replace ${gateway} lladdr ${await macOf(a.namespace, "cni0")} dev eth0 nud stale`,
    );
    const mac = "02:00:00:00:00:66";
    await announce(a.pod, gateway, "02:00:00:00:00:55");
    await announce(a.pod, "10.244.1.9", mac);
    await until("the neighbour has learnt an address", async () =>
      (await neighbours()).includes(mac),
    );
    const line = (await neighbours()).split("\n").find((text) => text.startsWith(`${gateway} `));
    assert.ok(line?.includes(await macOf(a.namespace, "cni0")), line ?? "no entry");
    assert.equal(await witness.askAddress(gateway, 80), "10.244.1.7");
    assert.equal(await victim.askAddress("10.244.1.5", 80), "10.244.1.6");
  },
);
