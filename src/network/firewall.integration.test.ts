import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { resultChangesOf } from "#/std/cni/result-changes.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { TestNode } from "#/testing/pod-network-node.ts";
import { until } from "#/testing/until.ts";
import { NetworkKeeper } from "./network-keeper.ts";
import type { PodNetwork } from "./pod-network.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };

const first = { name: "n1", ips: ["192.168.7.1"], podCidrs: ["10.244.1.0/24"] };
const second = { name: "n2", ips: ["192.168.7.2"], podCidrs: ["10.244.2.0/24"] };

/**
 * Limit (ms) of the time to restore a removed rule: long enough for a busy machine, less than the
 * resync interval.
 */
const backMs = 30_000;

/** Two nodes on one link, each with a pod. */
async function twoNodes(iptables: string) {
  await using stack = new AsyncDisposableStack();
  const fabric = stack.use(await NetworkNamespace.create());
  const a = stack.use(await TestNode.create(first, iptables));
  const b = stack.use(await TestNode.create(second, iptables));
  await fabric.sh("ip link add br0 type bridge; ip link set br0 up");
  await a.plugInto(fabric, "a0", "192.168.7.1/24");
  await b.plugInto(fabric, "b0", "192.168.7.2/24");
  await fabric.sh("ip link set a0 master br0; ip link set b0 master br0");
  for (const { network, node } of [a, b]) await network.apply(node, [first, second]);
  await a.addPod("10.244.1.5", "10.244.1.1");
  await b.addPod("10.244.2.5", "10.244.2.1");
  await b.pod.serveAddresses(80);
  const owned = stack.move();
  return { a, b, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

for (const iptables of ["iptables", "iptables-legacy"]) {
  test(`${iptables}: pods reach each other though the policy is DROP`, options, async () => {
    await using site = await twoNodes(iptables);
    const { a, b } = site;
    const neighbour = await a.addNeighbour("10.244.1.6", "10.244.1.1");
    await neighbour.serveAddresses(80);
    await a.namespace.serveAddresses(6443);
    await a.namespace.serveAddresses(53);
    for (const { namespace } of [a, b]) {
      await namespace.sh(`${iptables} -P FORWARD DROP; ${iptables} -P INPUT DROP`);
    }
    const reach = [
      { from: a.pod, to: "10.244.1.6", port: 80, as: "10.244.1.5" },
      { from: a.pod, to: "10.244.2.5", port: 80, as: "10.244.1.5" },
      { from: a.pod, to: "192.168.7.1", port: 6443, as: "10.244.1.5" },
      { from: b.pod, to: "10.244.1.1", port: 53, as: "10.244.2.5" },
    ];
    for (const { from, to, port, as } of reach) {
      assert.equal(await from.askAddress(to, port), as, `${to}:${port}`);
    }
    // Ports for other nodes are opened by the administrator.
    assert.equal(await b.namespace.askAddress("192.168.7.1", 6443, 500).catch(() => ""), "");
    assert.equal(await b.pod.askAddress("10.244.1.1", 6443, 500).catch(() => ""), "");
  });

  test(`${iptables}: remove() leaves the rules of other programs`, options, async () => {
    await using node = await TestNode.create(first, iptables);
    const { namespace, network } = node;
    await namespace.sh(`
      ${iptables} -N MINE; ${iptables} -A FORWARD -j MINE; ${iptables} -A MINE -s 10.0.0.1 -j DROP
      nft 'add table inet mine; add chain inet mine input { type filter hook input priority 0; }'
    `);
    const rules = async (): Promise<string> => {
      const text = await namespace.sh(`nft -s list ruleset; ${iptables}-save -t filter`);
      return text.replaceAll(/^#.*$|\[\d+:\d+\]/gm, "");
    };
    const before = await rules();
    await network.apply(first, [first]);
    assert.notEqual(await rules(), before);
    // Chains that the portmap plugin leaves when the last pod with a host port is removed.
    const nat = `${iptables} -t nat`;
    await namespace.sh(`
      ${nat} -N CNI-HOSTPORT-DNAT; ${nat} -A OUTPUT -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT
      ${nat} -N CNI-HOSTPORT-MASQ; ${nat} -A CNI-HOSTPORT-MASQ -m mark --mark 0x2000/0x2000 -j MASQUERADE
      ${nat} -A POSTROUTING -m comment --comment "CNI portfwd requiring masquerade" -j CNI-HOSTPORT-MASQ
    `);
    await network.remove();
    assert.equal(await rules(), before);
    assert.doesNotMatch(await namespace.sh(`${nat} -S; ${iptables} -S`), /K8TS|CNI-/);
  });
}

test("remove() leaves no table if there was none", options, async () => {
  await using node = await TestNode.create(first);
  await node.network.apply(first, [first]);
  await node.network.remove();
  assert.equal(await node.namespace.sh("nft list ruleset"), "");
});

for (const damage of [
  "nft flush ruleset; iptables -P FORWARD DROP",
  "iptables -F FORWARD; iptables -P FORWARD DROP",
  "iptables -F; iptables -X; iptables -P FORWARD DROP",
  "nft delete table ip k8ts-network",
  "ip route flush proto 107",
  "ip link del cni0",
  "ip addr flush dev cni0",
]) {
  test(`NetworkKeeper repairs after "${damage}"`, options, async () => {
    await using site = await twoNodes("iptables");
    const { a } = site;
    const { namespace } = a;
    const stop = new AbortController();
    const keeper = new NetworkKeeper(
      {
        network: a.network,
        clock: systemClock,
        log: logger("network-test"),
        followRemovals: await namespace.followRemovals(),
        followRoutes: await namespace.followRoutes(),
        followPods: resultChangesOf([join(a.directory, "results")]),
      },
      () => ({ self: first, all: [first, second] }),
    );
    const state = async (): Promise<string> => {
      const rules = "nft -s list ruleset | grep -v policy | sort";
      return await namespace.sh(`ip route; ${rules}; ip -br addr show cni0 | awk '{print $3}'`);
    };
    const expected = (await state()).replaceAll(/ linkdown/g, "");
    const checked = firstCheck(a.network);
    const ended = keeper.run(stop.signal);
    try {
      await checked;
      await namespace.sh(damage);
      let seen = "";
      const isBack = async (): Promise<boolean> => {
        seen = (await state().catch(() => "")).replaceAll(/ linkdown/g, "");
        return seen === expected;
      };
      await until("repaired", isBack, { limitMs: backMs }).catch(() => undefined);
      assert.equal(seen, expected);
    } finally {
      stop.abort();
      keeper.wake();
      await ended;
    }
  });
}

/** Resolves after the first check of the routes: later damage is detected only by reports. */
function firstCheck(network: PodNetwork): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const isIntact = network.isIntact.bind(network);
  network.isIntact = () => isIntact().finally(resolve);
  return promise;
}
