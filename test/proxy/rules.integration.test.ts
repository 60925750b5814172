import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { removeRules } from "#/proxy/iptables/remove-rules.ts";
import { removeTables } from "#/proxy/nftables/backend.ts";
import { logger } from "#/std/log/log.ts";
import { removeEmptyTables } from "#/std/netfilter/empty-tables.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { listRules, prepareNode, type RuleListing } from "./node-namespace.ts";
import { services, slices } from "./objects.ts";
import { ProxiedNode, type ProxyMode } from "./proxied-node.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };
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
};

/** Adds the objects of objects.ts, or some of the services. */
function add(node: ProxiedNode, from = 0, to = services.length): void {
  for (const service of services.slice(from, to)) node.set(service, undefined);
  for (const slice of slices) {
    const isHeadless = "service.kubernetes.io/headless" in (slice.metadata.labels ?? {});
    if (!isHeadless) node.set(undefined, slice);
  }
}

async function recorded(mode: ProxyMode): Promise<RuleListing> {
  const text = await readFile(new URL(`recorded/${mode}.json`, import.meta.url), "utf8");
  return JSON.parse(text) as RuleListing;
}

for (const mode of ["nftables", "iptables"] as const) {
  test(`${mode} rules are those of the real kube-proxy`, options, async () => {
    await using namespace = await NetworkNamespace.create();
    await prepareNode(namespace);
    const node = new ProxiedNode(namespace, mode);
    add(node);
    await node.sync(true);
    assert.deepEqual(await listRules(namespace, mode), await recorded(mode));
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
      assert.deepEqual(await listRules(namespace, mode), await recorded(mode));
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
      assert(await removeRules(namespace.run, log));
      assert(await removeTables(namespace.run, log));
      await removeEmptyTables(namespace.run);
      assert.equal(await namespace.sh("nft list ruleset"), "");
    },
  );

  test(`${mode}: removed() detects that rules were flushed or deleted`, options, async () => {
    await using namespace = await NetworkNamespace.create();
    await prepareNode(namespace);
    const node = new ProxiedNode(namespace, mode);
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
