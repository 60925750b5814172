import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { TestNode } from "#/testing/pod-network-node.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };

const first = { name: "n1", ips: ["192.168.7.1"], podCidrs: ["10.244.1.0/24"] };
const second = { name: "n2", ips: ["192.168.7.2"], podCidrs: ["10.244.2.0/24"] };
const distant = { name: "n2", ips: ["192.168.8.2"], podCidrs: ["10.244.2.0/24"] };

test(
  "PodNetwork routes between neighbours, and masquerades packets that leave",
  options,
  async () => {
    await using fabric = await NetworkNamespace.create();
    await fabric.sh(
      "ip link add br0 type bridge; ip link set br0 up; ip addr add 192.168.7.9/24 dev br0",
    );
    await using a = await TestNode.create(first);
    await using b = await TestNode.create(second);
    await a.plugInto(fabric, "a0", "192.168.7.1/24");
    await b.plugInto(fabric, "b0", "192.168.7.2/24");
    await fabric.sh("ip link set a0 master br0; ip link set b0 master br0");
    for (const { network, node } of [a, b]) await network.apply(node, [first, second]);
    await a.addPod("10.244.1.5", "10.244.1.1");
    await b.addPod("10.244.2.5", "10.244.2.1");
    await b.pod.serveAddresses(80);
    await fabric.serveAddresses(80);
    assert.equal(await a.pod.askAddress("10.244.2.5", 80), "10.244.1.5");
    assert.equal(await a.pod.askAddress("192.168.7.9", 80), "192.168.7.1");
    const config = JSON.parse(await readFile(join(a.directory, "10-k8ts.conflist"), "utf8"));
    assert.equal(config.plugins[0].ipam.ranges[0][0].subnet, "10.244.1.0/24");
    assert.equal(config.plugins[0].mtu, 1500);
    assert.doesNotMatch(await a.namespace.sh("ip link"), /vxlan/);
  },
);

test(
  "PodNetwork connects a node with one in a network namespace of its machine",
  options,
  async () => {
    const inside = { name: "n2", ips: ["10.191.0.2"], podCidrs: ["10.244.2.0/24"] };
    await using fabric = await NetworkNamespace.create();
    await using a = await TestNode.create(first);
    await using b = await TestNode.create(inside);
    await a.plugInto(fabric, "a0", "192.168.7.1/24");
    await b.plugInto(a.namespace, "b0", "10.191.0.2/30");
    await a.namespace.sh("ip addr add 10.191.0.1/30 dev b0");
    await b.namespace.sh("ip route add default via 10.191.0.1");
    for (const { network, node } of [a, b]) await network.apply(node, [first, inside]);
    await a.addPod("10.244.1.5", "10.244.1.1");
    await b.addPod("10.244.2.5", "10.244.2.1");
    for (const { pod } of [a, b]) await pod.serveAddresses(80);
    assert.equal(await a.pod.askAddress("10.244.2.5", 80), "10.244.1.5");
    assert.equal(await b.pod.askAddress("10.244.1.5", 80), "10.244.2.5");
  },
);

test(
  "PodNetwork tunnels to nodes on other links, and removes routes of deleted nodes",
  options,
  async () => {
    await using router = await NetworkNamespace.create();
    await using a = await TestNode.create(first);
    await using b = await TestNode.create(distant);
    await a.plugInto(router, "a0", "192.168.7.1/24");
    await b.plugInto(router, "b0", "192.168.8.2/24");
    await router.sh(`
    ip addr add 192.168.7.254/24 dev a0; ip addr add 192.168.8.254/24 dev b0
    echo 1 > /proc/sys/net/ipv4/ip_forward
  `);
    await a.namespace.sh("ip route add default via 192.168.7.254");
    await b.namespace.sh("ip route add default via 192.168.8.254");
    for (const { network, node } of [a, b]) await network.apply(node, [first, distant]);
    await a.addPod("10.244.1.5", "10.244.1.1");
    await b.addPod("10.244.2.5", "10.244.2.1");
    await a.pod.serveAddresses(80);
    assert.equal(await b.pod.askAddress("10.244.1.5", 80), "10.244.2.5");
    const config = JSON.parse(await readFile(join(a.directory, "10-k8ts.conflist"), "utf8"));
    assert.equal(config.plugins[0].mtu, 1450);
    assert.match(await a.namespace.sh("ip link show k8ts-vxlan1"), / mtu 1450 /);
    await a.network.apply(first, [first]);
    assert.doesNotMatch(await a.namespace.sh("ip route; ip link"), /10\.244\.2\.|vxlan/);
    await b.network.remove();
    const left = await b.namespace.sh("ip route; ip link; nft list ruleset");
    assert.doesNotMatch(left, /10\.244\.|vxlan|cni0|k8ts-(?!test)/);
  },
);

test(
  "PodNetwork refuses packets too large for the tunnel, so that old pods learn the MTU",
  options,
  async () => {
    await using router = await NetworkNamespace.create();
    await using a = await TestNode.create(first);
    await using b = await TestNode.create(distant);
    await a.plugInto(router, "a0", "192.168.7.1/24");
    await b.plugInto(router, "b0", "192.168.8.2/24");
    await router.sh(`
    ip addr add 192.168.7.254/24 dev a0; ip addr add 192.168.8.254/24 dev b0
    echo 1 > /proc/sys/net/ipv4/ip_forward
  `);
    await a.namespace.sh("ip route add default via 192.168.7.254");
    await b.namespace.sh("ip route add default via 192.168.8.254");
    for (const { network, node } of [a, b]) await network.apply(node, [first, distant]);
    // Pods created before the tunnel, with a larger MTU.
    await a.addPod("10.244.1.5", "10.244.1.1");
    await b.addPod("10.244.2.5", "10.244.2.1");
    const bytes = 300_000;
    const serve = `require("node:net").createServer((socket) => socket.end(Buffer.alloc(${bytes})))
    .listen(80, () => console.log())`;
    const server = b.pod.start(process.execPath, ["-e", serve]);
    if (server.stdout) await once(server.stdout, "data");
    const received = await a.pod.askAddress("10.244.2.5", 80);
    assert.equal(received.length, bytes);
    assert.match(await b.pod.sh("ip route get 10.244.1.5"), / mtu 1450/);
    await a.namespace.sh("ip link set k8ts-vxlan1 mtu 1400");
    await a.network.apply(first, [first, distant]);
    assert.match(await a.namespace.sh("ip link show k8ts-vxlan1"), / mtu 1450 /);
  },
);

for (const { why, ips, carried, mtu } of [
  { why: "IPv4", ips: ["192.168.7.1", "192.168.8.2"], carried: "192.168.8.2", mtu: 1450 },
  { why: "IPv6", ips: ["fd00:7::1", "fd00:8::2"], carried: "fd00:8::2", mtu: 1430 },
] as const) {
  test(`PodNetwork tunnels packets of IPv6 in those of ${why}`, options, async () => {
    const here = { name: "n1", ips: [ips[0]], podCidrs: ["fd00:244:1::/64"] };
    const there = { name: "n2", ips: [ips[1]], podCidrs: ["fd00:244:2::/64"] };
    const isIpv6 = why === "IPv6";
    await using router = await NetworkNamespace.create();
    await using a = await TestNode.create(here);
    await using b = await TestNode.create(there);
    const length = isIpv6 ? 64 : 24;
    await a.plugInto(router, "a0", `${ips[0]}/${length}`);
    await b.plugInto(router, "b0", `${ips[1]}/${length}`);
    const [left, right] = isIpv6 ? ["fd00:7::9", "fd00:8::9"] : ["192.168.7.9", "192.168.8.9"];
    const nodad = isIpv6 ? "nodad" : "";
    await router.sh(`
      ip addr add ${left}/${length} dev a0 ${nodad}; ip addr add ${right}/${length} dev b0 ${nodad}
      echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
    `);
    await a.namespace.sh(`ip route add default via ${left}`);
    await b.namespace.sh(`ip route add default via ${right}`);
    for (const { network, node } of [a, b]) await network.apply(node, [here, there]);
    await a.addPod("fd00:244:1::5", "fd00:244:1::1");
    await b.addPod("fd00:244:2::5", "fd00:244:2::1");
    await a.pod.serveAddresses(80);
    assert.equal(await b.pod.askAddress("fd00:244:1::5", 80), "fd00:244:2::5");
    assert.match(await a.namespace.sh("bridge fdb show dev k8ts-vxlan1"), new RegExp(carried));
    const config = JSON.parse(await readFile(join(a.directory, "10-k8ts.conflist"), "utf8"));
    assert.equal(config.plugins[0].mtu, mtu);
    assert.match(
      await a.namespace.sh("nft list tables"),
      isIpv6 ? /ip6 k8ts-tunnel/ : /ip k8ts-tunnel/,
    );
    // The routes of an unchanged node stay as they are.
    const before = await a.namespace.sh("ip -6 route; ip addr; bridge fdb");
    await a.network.apply(here, [here, there]);
    assert.equal(await a.namespace.sh("ip -6 route; ip addr; bridge fdb"), before);
    await a.network.remove();
    const rest = await a.namespace.sh("ip -6 route; ip link; nft list ruleset");
    assert.doesNotMatch(rest, /fd00:244|vxlan|cni0|k8ts-(?!test)/);
  });
}

test("PodNetwork adapts tunnel and new Pods to another MTU of the link", options, async () => {
  await using router = await NetworkNamespace.create();
  await using a = await TestNode.create(first);
  await a.plugInto(router, "a0", "192.168.7.1/24");
  await a.namespace.sh("ip route add default via 192.168.7.9");
  await a.network.apply(first, [first, distant]);
  const line = async () => await a.namespace.sh("ip -o link show dev eth0");
  assert.equal(a.network.isUplinkChanged(`[LINK]${await line()}`), false);
  await a.namespace.sh("ip link set eth0 mtu 1400");
  const changed = await line();
  assert.equal(a.network.isUplinkChanged(changed), true);
  assert.equal(a.network.isUplinkChanged(changed.replaceAll("eth0", "eth1")), false);
  assert.equal(a.network.isUplinkChanged(`Deleted ${changed}`), false);
  await a.network.apply(first, [first, distant]);
  assert.equal(a.network.isUplinkChanged(changed), false);
  const config = JSON.parse(await readFile(join(a.directory, "10-k8ts.conflist"), "utf8"));
  assert.equal(config.plugins[0].mtu, 1350);
  assert.match(await a.namespace.sh("ip link show k8ts-vxlan1"), / mtu 1350 /);
});

test(
  "PodNetwork keeps the address of the Pods' gateway when Pods come and go",
  options,
  async () => {
    await using node = await TestNode.create(first);
    await node.network.apply(first, [first]);
    const addressOf = async () =>
      /ether (\S+)/.exec(await node.namespace.sh("ip link show cni0"))?.[1];
    const before = await addressOf();
    // A bridge takes the lowest address of its ports, unless it was given one.
    await node.namespace.sh(`
    ip link add low0 address 02:00:00:00:00:01 type veth peer name low1
    ip link set low0 master cni0 up; ip link set low1 up`);
    assert.equal(await addressOf(), before);
    // One of an earlier version keeps what it has.
    await node.namespace.sh("ip link del cni0; ip link add cni0 type bridge");
    const found = await addressOf();
    node.network.distrust();
    await node.network.apply(first, [first]);
    await node.namespace.sh("ip link set low0 master cni0");
    assert.equal(await addressOf(), found);
  },
);

test("PodNetwork notices that another program has disabled forwarding", options, async () => {
  await using fabric = await NetworkNamespace.create();
  await using node = await TestNode.create(first);
  await node.plugInto(fabric, "a0", "192.168.7.1/24");
  await node.network.apply(first, [first]);
  assert.equal(await node.network.isIntact(), true);
  const forwarding = "/proc/sys/net/ipv4/ip_forward";
  await node.namespace.sh(`echo 0 > ${forwarding}`);
  assert.equal(await node.network.isIntact(), false);
  node.network.distrust();
  await node.network.apply(first, [first]);
  assert.equal(await node.network.isIntact(), true);
  assert.equal((await node.namespace.sh(`cat ${forwarding}`)).trim(), "1");
});

test(
  "PodNetwork attaches the links of Pods again after the bridge was deleted",
  options,
  async () => {
    const self = { name: "n1", ips: ["192.168.7.1"], podCidrs: ["10.244.1.0/24"] };
    await using node = await TestNode.create(self);
    await node.network.apply(self, [self]);
    await node.addPod("10.244.1.5", "10.244.1.1");
    const neighbour = await node.addNeighbour("10.244.1.6", "10.244.1.1");
    await neighbour.serveAddresses(80);
    assert.equal(await node.pod.askAddress("10.244.1.6", 80), "10.244.1.5");
    await node.namespace.sh("ip link del cni0");
    node.network.distrust();
    await node.network.apply(self, [self]);
    assert.equal(await node.pod.askAddress("10.244.1.6", 80), "10.244.1.5");
    const link = await node.namespace.sh("ip -d link show dev veth0");
    assert.match(link, /hairpin on/);
  },
);
