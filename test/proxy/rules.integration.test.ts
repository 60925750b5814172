import assert from "node:assert/strict";
import { test } from "node:test";
import { removeRules } from "#/proxy/iptables/remove-rules.ts";
import { removeIpvs } from "#/proxy/ipvs/remove-ipvs.ts";
import { removeTables } from "#/proxy/nftables/backend.ts";
import { logger } from "#/std/log/log.ts";
import { removeEmptyTables } from "#/std/netfilter/empty-tables.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { NetworkNamespace } from "#/testing/network-namespace.ts";
import { listRules, prepareNode, proxyModes } from "./node-namespace.ts";
import { services, slices } from "./objects.ts";
import { ProxiedNode } from "./proxied-node.ts";
import { recordedRules } from "./recorded-rules.ts";

const log = logger("proxy-test");

/** Changes to rules by users and programs; some of them to IPv4 alone. */
const flushes = {
  nftables: [
    "nft flush ruleset",
    "nft delete table ip kube-proxy",
    "nft flush table ip kube-proxy",
    "nft flush chain ip kube-proxy nat-prerouting",
  ],
  iptables: [
    "nft flush ruleset",
    "nft delete table ip nat",
    "nft flush table ip nat",
    "nft flush chain ip nat PREROUTING",
  ],
  ipvs: [
    "nft flush ruleset",
    "nft flush chain ip nat PREROUTING",
    "ipvsadm -C",
    "ipvsadm -D -t 10.96.0.11:80 # ip ",
    "ipvsadm -A -t 10.96.77.77:80 -s rr # ip ",
    "ipset flush KUBE-CLUSTER-IP # ip ",
    "ip link del kube-ipvs0",
  ],
};

/** Adds the objects of objects.ts, or some of the services. */
function add(node: ProxiedNode, from = 0, to = services.length): void {
  for (const service of services.slice(from, to)) node.set(service, undefined);
  for (const slice of slices) {
    const isHeadless = "service.kubernetes.io/headless" in (slice.metadata.labels ?? {});
    if (!isHeadless) node.set(undefined, slice);
  }
}

for (const { mode, options } of proxyModes) {
  test(`${mode} rules are those of the real kube-proxy`, options, async () => {
    await using namespace = await NetworkNamespace.create();
    await prepareNode(namespace);
    const node = new ProxiedNode(namespace, mode);
    add(node);
    await node.sync(true);
    assert.deepEqual(await listRules(namespace, mode), await recordedRules(mode, namespace));
  });

  test(
    `${mode} rules written bit by bit are the same, and can be taken back`,
    options,
    async () => {
      await using namespace = await NetworkNamespace.create();
      await prepareNode(namespace);
      const clock = new FakeClock();
      const node = new ProxiedNode(namespace, mode, clock);
      await node.sync(true);
      const empty = await listRules(namespace, mode);
      for (let index = 0; index < services.length; index += 5) {
        add(node, index, index + 5);
        await node.sync(false);
      }
      assert.deepEqual(await listRules(namespace, mode), await recordedRules(mode, namespace));
      for (const { tracker } of node.families) {
        for (const slice of slices) tracker.setSlice(slice, true);
        for (const { metadata } of services)
          tracker.setService(`default/${metadata.name}`, undefined);
      }
      await node.sync(false);
      // Chains of nftables are kept for a second after their last use.
      await clock.advance(1001);
      await node.sync(false);
      assert.deepEqual(await listRules(namespace, mode), empty);
      assert(await removeIpvs({ run: namespace.run, log, excluded: [] }));
      assert(await removeRules(namespace.run, log));
      assert(await removeTables(namespace.run, log));
      await removeEmptyTables(namespace.run);
      assert.equal(await namespace.sh("nft list ruleset"), "");
      assert.doesNotMatch(await namespace.sh("ip -o address show"), /kube-ipvs0/);
      if (mode === "ipvs") assert.equal(await namespace.sh("ipvsadm -Sn; ipset save"), "");
    },
  );

  test(`${mode}: removed() detects that rules were flushed or deleted`, options, async () => {
    await using namespace = await NetworkNamespace.create();
    await prepareNode(namespace);
    const node = new ProxiedNode(namespace, mode);
    add(node);
    const removed = (): Promise<boolean[]> =>
      Promise.all(node.families.map(({ backend }) => backend.removed()));
    for (const command of flushes[mode]) {
      await node.sync(true);
      assert.deepEqual(await removed(), [false, false]);
      await namespace.sh(command);
      assert.deepEqual(await removed(), [true, !command.includes(" ip ")], command);
    }
  });
}
