import assert from "node:assert/strict";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { mayMakeNamespaces, type NetworkNamespace } from "#/testing/network-namespace.ts";
import { TestNode } from "#/testing/pod-network-node.ts";
import { until } from "#/testing/until.ts";
import {
  arpFrame,
  emptyTag,
  neighbourFrame,
  routerFrame,
  sendFrames,
  udpFrame,
} from "./raw-frames.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };
const gateway = "10.244.1.1";
const gateway6 = "fd00:244:1::1";
const self = {
  name: "n1",
  ips: ["192.168.7.1"],
  podCidrs: ["10.244.1.0/24", "fd00:244:1::/64"],
};
const [attackerIp, victimIp, neighbourIp] = ["10.244.1.5", "10.244.1.6", "10.244.1.7"];
const neighbourIp6 = "fd00:244:1::7";

const macOf = async (pod: NetworkNamespace, device = "eth0"): Promise<string> =>
  /ether (\S+)/.exec(await pod.sh(`ip link show dev ${device}`))?.[1] ?? "";

const linkLocalOf = (pod: NetworkNamespace) =>
  until("the link has its address", async () => {
    const text = await pod.sh("ip -6 -o addr show dev eth0 scope link -tentative");
    return /inet6 ([^/]+)/.exec(text)?.[1];
  });

/** Three Pods of a node: one attacks, one is the victim, the address of the third is claimed. */
async function open(antiSpoofing: boolean) {
  const node = await TestNode.create(self, "iptables", { antiSpoofing });
  await node.network.apply(self, [self]);
  const victim = await node.addNeighbour(victimIp, gateway);
  const neighbour = await node.addNeighbour(neighbourIp, gateway);
  await node.addPod(attackerIp, gateway);
  await victim.sh(`
    echo 0 > /proc/sys/net/ipv4/neigh/eth0/locktime
    echo 2 > /proc/sys/net/ipv6/conf/eth0/accept_ra
    ip addr add fd00:244:1::6/64 dev eth0 nodad
  `);
  const facts = {
    attackerMac: await macOf(node.pod),
    victimMac: await macOf(victim),
    neighbourMac: await macOf(neighbour),
    gatewayMac: await macOf(node.namespace, "cni0"),
    attackerIp6: await linkLocalOf(node.pod),
  };
  for (const [ip, mac] of [
    [gateway, facts.gatewayMac],
    [neighbourIp, facts.neighbourMac],
    [gateway6, facts.gatewayMac],
    [neighbourIp6, facts.neighbourMac],
  ]) {
    await victim.sh(`ip neigh replace ${ip} lladdr ${mac} dev eth0 nud stale`);
  }
  return { node, victim, neighbour, attacker: node.pod, facts };
}

type Site = Awaited<ReturnType<typeof open>>;

/** The attempts: frames of the attacker, and whether the victim was deceived. */
const attempts: Readonly<
  Record<
    string,
    {
      frames: (facts: Site["facts"]) => string[];
      succeeded: (site: Site, received: () => string) => Promise<boolean>;
    }
  >
> = {
  "ARP for a neighbour's address": {
    frames: ({ attackerMac }) => [
      arpFrame({ from: attackerMac, mac: attackerMac, ip: neighbourIp }),
    ],
    succeeded: (site) => knows(site, neighbourIp),
  },
  "ARP for a neighbour's address, with a tag": {
    frames: ({ attackerMac }) => [
      arpFrame({ from: attackerMac, mac: attackerMac, ip: neighbourIp }, emptyTag),
    ],
    succeeded: (site) => knows(site, neighbourIp),
  },
  "ARP for the gateway's address": {
    frames: ({ attackerMac }) => [arpFrame({ from: attackerMac, mac: attackerMac, ip: gateway })],
    succeeded: (site) => knows(site, gateway),
  },
  "a neighbour advertisement for a neighbour's address": {
    frames: ({ attackerMac, attackerIp6 }) => [
      neighbourFrame({ from: attackerMac, mac: attackerMac, ip: neighbourIp6 }, attackerIp6),
    ],
    succeeded: (site) => knows(site, neighbourIp6),
  },
  "a neighbour advertisement for the gateway's address": {
    frames: ({ attackerMac, attackerIp6 }) => [
      neighbourFrame({ from: attackerMac, mac: attackerMac, ip: gateway6 }, attackerIp6),
    ],
    succeeded: (site) => knows(site, gateway6),
  },
  "a router advertisement": {
    frames: ({ attackerMac, attackerIp6 }) => [routerFrame(attackerMac, attackerIp6)],
    succeeded: async ({ victim }) => /default via fe80/.test(await victim.sh("ip -6 route")),
  },
  "a packet from a neighbour's address": {
    frames: (facts) => [datagram(facts, neighbourIp, "as-neighbour")],
    succeeded: async (_site, received) => received().includes("as-neighbour"),
  },
  "a packet from an address outside": {
    frames: (facts) => [datagram(facts, "203.0.113.9", "as-outsider")],
    succeeded: async (_site, received) => received().includes("as-outsider"),
  },
  "a packet from a neighbour's hardware address": {
    frames: (facts) => [
      datagram({ ...facts, attackerMac: facts.neighbourMac }, attackerIp, "as-mac"),
    ],
    succeeded: async (_site, received) => received().includes("as-mac"),
  },
};

function datagram(facts: Site["facts"], source: string, text: string): string {
  const { attackerMac: from, victimMac: to } = facts;
  return udpFrame({ from, to, source, target: victimIp, port: 9999 }, text);
}

async function knows({ victim, facts }: Site, ip: string): Promise<boolean> {
  return (await victim.sh(`ip neigh show ${ip}`)).includes(facts.attackerMac);
}

/** Prints what arrives at a port; the attacker's own, honest packets among it. */
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

async function hasBridgeRules({ namespace }: TestNode): Promise<boolean> {
  const probe = "nft 'add table bridge probe; delete table bridge probe'";
  return namespace.sh(probe).then(
    () => true,
    () => false,
  );
}

for (const [name, { frames, succeeded }] of Object.entries(attempts)) {
  test(`a Pod does not deceive its neighbours by ${name}`, options, async (context) => {
    // The same frames deceive a victim that nothing guards.
    const unguarded = await open(false);
    await using _open = unguarded.node;
    if (!(await hasBridgeRules(unguarded.node))) return context.skip("needs rules for bridges");
    const heard = await listen(unguarded.victim);
    await sendFrames(unguarded.attacker, frames(unguarded.facts));
    await until("the victim is deceived", () => succeeded(unguarded, heard));

    const guarded = await open(true);
    await using _guarded = guarded.node;
    const received = await listen(guarded.victim);
    const honest = datagram(guarded.facts, attackerIp, "honest");
    await sendFrames(guarded.attacker, [...frames(guarded.facts), honest]);
    await until("the honest packet arrives", () => received().includes("honest"));
    const rules = await guarded.node.namespace.sh("nft list chain bridge k8ts-network spoofed");
    assert.match(rules, /counter packets [1-9]/);
    assert.equal(await succeeded(guarded, received), false);
  });
}

test(
  "a Pod sends nothing before it is bound to its addresses, neither to neighbours nor to its node",
  options,
  async (context) => {
    await using node = await TestNode.create(self, "iptables");
    if (!(await hasBridgeRules(node))) return context.skip("needs rules for bridges");
    await node.network.apply(self, [self]);
    const victim = await node.addNeighbour(victimIp, gateway);
    const bind = await node.addUnreportedPod(attackerIp, gateway);
    const facts = {
      attackerMac: await macOf(node.pod),
      victimMac: await macOf(victim),
      neighbourMac: "",
      gatewayMac: await macOf(node.namespace, "cni0"),
      attackerIp6: await linkLocalOf(node.pod),
    };
    const [heardByVictim, heardByNode] = [await listen(victim), await listen(node.namespace)];
    const toNode = { from: facts.attackerMac, to: facts.gatewayMac, target: gateway, port: 9999 };
    const early = [
      datagram(facts, attackerIp, "early"),
      datagram(facts, "203.0.113.9", "early"),
      udpFrame({ ...toNode, source: attackerIp }, "early"),
      udpFrame({ ...toNode, source: "203.0.113.9" }, "early"),
      udpFrame({ ...toNode, source: neighbourIp }, "early"),
      routerFrame(facts.attackerMac, facts.attackerIp6),
      arpFrame({ from: facts.attackerMac, mac: facts.attackerMac, ip: victimIp }, emptyTag),
    ];
    await sendFrames(node.pod, early);
    await bind();
    await sendFrames(node.pod, [
      datagram(facts, attackerIp, "bound"),
      udpFrame({ ...toNode, source: attackerIp }, "bound"),
    ]);
    await until("the node hears the Pod", () => heardByNode().includes("bound"));
    await until("the victim hears the Pod", () => heardByVictim().includes("bound"));
    assert.doesNotMatch(heardByNode() + heardByVictim(), /early/);
    assert.doesNotMatch(await victim.sh("ip -6 route"), /default/);
    assert.doesNotMatch(
      await node.namespace.sh(`ip neigh show ${victimIp}`),
      new RegExp(facts.attackerMac),
    );
  },
);

test(
  "a Pod that is gone leaves nothing in the sets, and its address to the next",
  options,
  async (context) => {
    const { node, neighbour, victim } = await open(true);
    await using _open = node;
    if (!(await hasBridgeRules(node))) return context.skip("needs rules for bridges");
    const table = () => node.namespace.sh("nft list table bridge k8ts-network");
    assert.match(await table(), /10\.244\.1\.7/);
    await neighbour.sh("ip link del eth0");
    await rm(join(node.directory, "results", `k8ts-${neighbour.name}-eth0`));
    await node.network.bindPods();
    assert.doesNotMatch(await table(), /10\.244\.1\.7|veth2/);
    const next = await node.addNeighbour(neighbourIp, gateway);
    await next.serveAddresses(80);
    await victim.sh("ip neigh flush dev eth0");
    assert.equal(await victim.askAddress(neighbourIp, 80), victimIp);
    // Correct rules are not written again; damaged ones are.
    const counted = await table();
    node.network.distrust();
    await node.network.apply(self, [self]);
    assert.equal(await table(), counted);
    await node.namespace.sh("nft flush chain bridge k8ts-network bound");
    node.network.distrust();
    await node.network.apply(self, [self]);
    assert.match(await table(), /nd-router-advert/);
  },
);
