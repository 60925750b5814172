import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { tunnelMac } from "#/network/network-node.ts";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { TestNode } from "#/testing/pod-network-node.ts";
import { until } from "#/testing/until.ts";
import { udpFrame } from "./raw-frames.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };
const first = { name: "n1", ips: ["192.168.7.1"], podCidrs: ["10.244.1.0/24"] };
const second = { name: "n2", ips: ["192.168.8.2"], podCidrs: ["10.244.2.0/24"] };
const target = "10.244.2.5";

/** Two nodes behind a router, which is no node, with a tunnel between them. */
async function open(antiSpoofing: boolean) {
  const stack = new AsyncDisposableStack();
  const router = stack.use(await NetworkNamespace.create());
  const a = stack.use(await TestNode.create(first, "iptables", { antiSpoofing }));
  const b = stack.use(await TestNode.create(second, "iptables", { antiSpoofing }));
  await a.plugInto(router, "a0", "192.168.7.1/24");
  await b.plugInto(router, "b0", "192.168.8.2/24");
  await router.sh(`
    ip addr add 192.168.7.254/24 dev a0; ip addr add 192.168.8.254/24 dev b0
    echo 1 > /proc/sys/net/ipv4/ip_forward
  `);
  await a.namespace.sh("ip route add default via 192.168.7.254");
  await b.namespace.sh("ip route add default via 192.168.8.254");
  for (const { network, node } of [a, b]) await network.apply(node, [first, second]);
  await a.addPod("10.244.1.5", "10.244.1.1");
  await b.addPod(target, "10.244.2.1");
  const received = await listen(b.pod);
  return { router, a, b, received, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function listen(pod: NetworkNamespace): Promise<() => string> {
  const script = `require("node:dgram").createSocket("udp4")
    .on("message", (text) => console.log(String(text))).bind(9999, () => console.log("ready"))`;
  const server = pod.start(process.execPath, ["-e", script]);
  let text = "";
  server.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(server.stdout ?? server, "data");
  return () => text;
}

/** Sends a packet of the tunnel to the second node: a datagram for its Pod from an address that no one has. */
async function inject(from: NetworkNamespace, text: string): Promise<void> {
  const to = tunnelMac("192.168.8.2");
  const claim = { from: "02:00:00:00:00:66", to, source: "10.244.1.99", target, port: 9999 };
  const packet = `0800000000000100${udpFrame(claim, text)}`;
  const script = `const socket = require("node:dgram").createSocket("udp4");
    socket.send(Buffer.from("${packet}", "hex"), 8472, "192.168.8.2", () => socket.close())`;
  await from.run(process.execPath, ["-e", script]);
}

const dropped = async ({ namespace }: TestNode): Promise<boolean> =>
  /counter packets [1-9]/.test(await namespace.sh("nft list table ip k8ts-tunnel"));

const senders: Readonly<
  Record<string, (site: Awaited<ReturnType<typeof open>>) => NetworkNamespace>
> = {
  "a machine that is no node": ({ router }) => router,
  "a Pod of the same node": ({ b }) => b.pod,
  "a Pod of another node, whose packets get that node's address": ({ a }) => a.pod,
};

for (const [name, sender] of Object.entries(senders)) {
  test(`the tunnel takes no packets from ${name}`, options, async () => {
    await using unguarded = await open(false);
    await inject(sender(unguarded), "injected");
    await until("the packet arrives", () => unguarded.received().includes("injected"));

    await using guarded = await open(true);
    await inject(sender(guarded), "injected");
    await until(
      "the packet is dropped",
      async () => (await dropped(guarded.a)) || (await dropped(guarded.b)),
    );
    // Packets of nodes arrive, and those of the tunnel in order.
    await inject(guarded.a.namespace, "of-a-node");
    await until("a node's packet arrives", () => guarded.received().includes("of-a-node"));
    assert.doesNotMatch(guarded.received(), /injected/);
    await guarded.b.pod.serveAddresses(80);
    assert.equal(await guarded.a.pod.askAddress(target, 80), "10.244.1.5");
    await guarded.b.network.remove();
    assert.doesNotMatch(await guarded.b.namespace.sh("nft list tables"), /k8ts/);
  });
}
