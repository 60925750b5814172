import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "#/api/core/v1.ts";
import { proxyMetrics } from "#/proxy/base/metrics.ts";
import { ProxyHealth } from "#/proxy/health/proxy-health.ts";
import { ServiceHealth } from "#/proxy/health/service-health.ts";
import { Proxier } from "#/proxy/proxier.ts";
import { logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import type { FollowRemovals } from "#/std/netfilter/removals.ts";
import { systemClock } from "#/std/time/clock.ts";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { until } from "#/testing/until.ts";
import { type ProxyMode, prepareNode } from "./node-namespace.ts";
import { ProxiedNode } from "./proxied-node.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };

/** Limit until rules are restored (ms): long enough for a busy machine; the periodic check is far away. */
const backMs = 30_000;
const syncMs = 3_600_000;

const service: Service = {
  metadata: { name: "web", namespace: "default" },
  spec: { clusterIP: "10.96.0.7", type: "ClusterIP", ports: [{ port: 80, protocol: "TCP" }] },
};

/** A proxier of IPv4 in a namespace, with one service. */
function startProxier(
  namespace: NetworkNamespace,
  mode: ProxyMode,
  followRemovals: FollowRemovals,
  signal: AbortSignal,
): void {
  const health = new ProxyHealth(systemClock, syncMs);
  const [ipv4] = new ProxiedNode(namespace, mode).families;
  assert(ipv4);
  const proxier = new Proxier({
    mode,
    family: "IPv4",
    nodeName: "n1",
    backend: ipv4.backend,
    health,
    serviceHealth: new ServiceHealth({
      hosts: [],
      proxyHealth: health,
      onFailure: () => undefined,
    }),
    metrics: proxyMetrics(new Registry(), mode),
    clock: systemClock,
    log: logger("proxy-test"),
    run: namespace.run,
    followRemovals,
    minSyncMs: 10,
    syncMs,
  });
  proxier.setService("default/web", service);
  proxier.start();
  void proxier.run(signal);
}

for (const { mode, flush } of [
  { mode: "nftables", flush: "nft flush ruleset" },
  { mode: "nftables", flush: "nft flush table ip kube-proxy" },
  { mode: "iptables", flush: "nft flush ruleset" },
  { mode: "iptables", flush: "iptables -t nat -F" },
] as const) {
  test(`${mode}: services work again after "${flush}"`, options, async () => {
    await using namespace = await NetworkNamespace.create();
    await prepareNode(namespace);
    const stop = new AbortController();
    startProxier(namespace, mode, await namespace.followRemovals(), stop.signal);
    const written = async (): Promise<boolean> => {
      const rules = await namespace.sh("nft list ruleset; iptables-save");
      return (
        rules.includes("10.96.0.7") && /jump services|PREROUTING .*-j KUBE-SERVICES/.test(rules)
      );
    };
    try {
      await until("rules are written", written);
      await namespace.sh(flush);
      await until(`rules are back after "${flush}"`, written, { limitMs: backMs });
    } finally {
      stop.abort();
    }
  });
}
