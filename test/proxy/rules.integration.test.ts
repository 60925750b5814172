import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Backend } from "#/proxy/backend.ts";
import { type IpFamily, ipFamilies } from "#/proxy/ip-family.ts";
import { IptBackend } from "#/proxy/iptables/backend.ts";
import { removeRules } from "#/proxy/iptables/remove-rules.ts";
import { localDetector } from "#/proxy/local-detector.ts";
import { proxyMetrics } from "#/proxy/metrics.ts";
import { NftBackend, removeTables } from "#/proxy/nftables/backend.ts";
import { nodePortAddresses } from "#/proxy/node-port-addresses.ts";
import { ServiceTracker } from "#/proxy/service-tracker.ts";
import { systemClock } from "#/std/clock.ts";
import { logger } from "#/std/log.ts";
import { Registry } from "#/std/metrics.ts";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { listRules, prepareNode, type RuleListing } from "./node-namespace.ts";
import { clusterCidr, nodeIps, nodeName, serviceCidrs, services, slices } from "./objects.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };
const log = logger("proxy-test");
const metrics = proxyMetrics(new Registry());

type Mode = "nftables" | "iptables";

class Node {
  readonly namespace: NetworkNamespace;
  readonly families: { family: IpFamily; tracker: ServiceTracker; backend: Backend }[];

  constructor(namespace: NetworkNamespace, mode: Mode) {
    this.namespace = namespace;
    this.families = ipFamilies.map((family) => {
      const tracker = new ServiceTracker(family, nodeName);
      tracker.setZone("z1");
      return { family, tracker, backend: this.#backend(family, mode) };
    });
  }

  #backend(family: IpFamily, mode: Mode): Backend {
    const detect = { podCIDRs: [], bridgeInterface: "", interfaceNamePrefix: "" };
    const primary = mode === "nftables" ? [`${nodeIps.IPv4}/32`, `${nodeIps.IPv6}/128`] : [];
    const rules = {
      family,
      masqueradeAll: false,
      masqueradeBit: 14,
      localDetector: localDetector(family, {
        ...detect,
        mode: "ClusterCIDR",
        clusterCIDRs: clusterCidr.split(","),
      }),
      nodePorts: nodePortAddresses(family, primary),
      nodeIp: nodeIps[family],
      localhostNodePorts: family === "IPv4",
      conntrackLiberal: false,
    };
    const { run } = this.namespace;
    if (mode === "iptables") return new IptBackend({ rules, run, metrics });
    return new NftBackend({ rules, run, metrics, log, clock: systemClock });
  }

  add(from = 0, to = services.length): void {
    for (const { tracker } of this.families) {
      for (const service of services.slice(from, to)) {
        tracker.setService(`default/${service.metadata.name}`, service);
      }
      for (const slice of slices) {
        if (!("service.kubernetes.io/headless" in (slice.metadata.labels ?? {}))) {
          tracker.setSlice(slice, false);
        }
      }
    }
  }

  async sync(full: boolean): Promise<void> {
    const around = { machineIps: Object.values(nodeIps), serviceCidrs };
    for (const { tracker, backend } of this.families) {
      const { services } = tracker.take(full);
      await backend.sync({ full, services, around, totalEndpoints: 0 });
    }
  }
}

async function recorded(mode: Mode): Promise<RuleListing> {
  const text = await readFile(new URL(`recorded/${mode}.json`, import.meta.url), "utf8");
  return JSON.parse(text) as RuleListing;
}

for (const mode of ["nftables", "iptables"] as const) {
  test(`${mode} rules are those of the real kube-proxy`, options, async () => {
    await using namespace = await NetworkNamespace.create();
    await prepareNode(namespace);
    const node = new Node(namespace, mode);
    node.add();
    await node.sync(true);
    assert.deepEqual(await listRules(namespace, mode), await recorded(mode));
  });

  test(
    `${mode} rules written bit by bit are the same, and can be taken back`,
    options,
    async () => {
      await using namespace = await NetworkNamespace.create();
      await prepareNode(namespace);
      const node = new Node(namespace, mode);
      await node.sync(true);
      const empty = await listRules(namespace, mode);
      for (let index = 0; index < services.length; index += 5) {
        node.add(index, index + 5);
        await node.sync(false);
      }
      assert.deepEqual(await listRules(namespace, mode), await recorded(mode));
      for (const { tracker } of node.families) {
        for (const slice of slices) tracker.setSlice(slice, true);
        for (const { metadata } of services)
          tracker.setService(`default/${metadata.name}`, undefined);
      }
      await node.sync(false);
      await systemClock.sleep(mode === "nftables" ? 1100 : 0);
      await node.sync(false);
      assert.deepEqual(await listRules(namespace, mode), empty);
      assert(await removeRules(namespace.run, log));
      assert(await removeTables(namespace.run, log));
      assert.doesNotMatch(await namespace.sh("nft list ruleset"), /KUBE-(?!FIREWALL)|kube-proxy/);
    },
  );
}
