import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { logger } from "#/std/log.ts";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import type { NetworkNode } from "./network-node.ts";
import { PodNetwork } from "./pod-network.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };

/** A machine that is a node, in a namespace, with one pod in another. */
class TestNode implements AsyncDisposable {
  readonly namespace: NetworkNamespace;
  readonly pod: NetworkNamespace;
  readonly node: NetworkNode;
  readonly network: PodNetwork;
  readonly directory: string;

  static async create(node: NetworkNode): Promise<TestNode> {
    const directory = await mkdtemp(join(tmpdir(), "network-"));
    const namespace = await NetworkNamespace.create();
    return new TestNode(node, directory, namespace, await NetworkNamespace.create());
  }

  private constructor(
    node: NetworkNode,
    directory: string,
    namespace: NetworkNamespace,
    pod: NetworkNamespace,
  ) {
    this.node = node;
    this.directory = directory;
    this.namespace = namespace;
    this.pod = pod;
    this.network = new PodNetwork({
      cniDir: directory,
      bridge: "cni0",
      clusterCidrs: ["10.244.0.0/16"],
      backend: "auto",
      mtu: 0,
      vxlan: { id: 1, port: 8472 },
      masquerade: true,
      run: namespace.run,
      setKernelValue: async (path, value) => {
        await namespace.sh(`echo ${value} > /proc/sys/${path}`);
      },
      log: logger("network-test"),
    });
  }

  /** Connects the node to another namespace, which has the link's other end. */
  async plugInto(other: NetworkNamespace, link: string, address: string): Promise<void> {
    await this.namespace.sh(`
      ip link add eth0 type veth peer name ${link} netns ${other.name}
      ip addr add ${address} dev eth0
      ip link set eth0 up
    `);
    await other.sh(`ip link set ${link} up`);
  }

  /** Attaches the pod to the bridge, as the CNI plugin does. */
  async addPod(address: string, gateway: string): Promise<void> {
    await this.namespace.sh(`
      ip link add pod0 type veth peer name eth0 netns ${this.pod.name}
      ip link set pod0 master cni0 up
    `);
    await this.pod.sh(`
      ip addr add ${address}/24 dev eth0
      ip link set eth0 up
      ip route add default via ${gateway}
    `);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pod[Symbol.asyncDispose]();
    await this.namespace[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true });
  }
}

const first = { name: "n1", ips: ["192.168.7.1"], podCidrs: ["10.244.1.0/24"] };
const second = { name: "n2", ips: ["192.168.7.2"], podCidrs: ["10.244.2.0/24"] };
const distant = { name: "n2", ips: ["192.168.8.2"], podCidrs: ["10.244.2.0/24"] };

test("PodNetwork routes between neighbours, and masquerades what leaves", options, async () => {
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
});

test("PodNetwork tunnels to nodes on other links, and forgets those that go", options, async () => {
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
  await a.network.apply(first, [first]);
  assert.doesNotMatch(await a.namespace.sh("ip route; ip link"), /10\.244\.2\.|vxlan/);
  await b.network.remove();
  const left = await b.namespace.sh("ip route; ip link; nft list ruleset");
  assert.doesNotMatch(left, /10\.244\.|vxlan|cni0|k8ts-(?!test)/);
});
