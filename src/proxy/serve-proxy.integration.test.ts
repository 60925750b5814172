import assert from "node:assert/strict";
import { test } from "node:test";
import { nodes, services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import { serviceCIDRs } from "#/api/networking/v1.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import { logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { proxyMetrics } from "./base/metrics.ts";
import { defaultConfiguration } from "./config/kube-proxy-configuration.ts";
import { serveProxy } from "./serve-proxy.ts";

/**
 * Runs a proxy on an API server in this process, with a program runner that only records its input.
 */
async function startProxy() {
  const api = await startApiServer();
  const client = api.client();
  const spec = { cidrs: ["10.96.0.0/16"] };
  await client.create(serviceCIDRs, { metadata: { name: "kubernetes" }, spec });
  const written: string[] = [];
  const run = async (_program: string, args: readonly string[], input = ""): Promise<string> => {
    if (input !== "") written.push(input);
    return args.includes("list") ? '{"nftables": []}' : "";
  };
  const events: string[] = [];
  const recorder: EventRecorder = { event: (_, type, reason) => events.push(`${type} ${reason}`) };
  const defaults = defaultConfiguration();
  const conntrack = { ...defaults.conntrack, maxPerCore: 0 };
  const config = {
    ...defaults,
    mode: "nftables",
    nftables: { ...defaults.nftables, minSyncPeriod: "10ms" },
    nodePortAddresses: ["primary"],
    conntrack: { ...conntrack, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
  };
  const stop = new AbortController();
  const registry = new Registry();
  const metrics = proxyMetrics(registry, "nftables");
  const shared = {
    config,
    client,
    recorder,
    registry,
    metrics,
    clock: systemClock,
    run,
    followRemovals: () => ({ [Symbol.dispose]: () => undefined }),
    flagTexts: {},
  };
  const options = { ...shared, nodeName: "n1", log: logger("proxy-test") };
  const ended = serveProxy(options, stop.signal);
  /** Resolves when matching text is written; drops all that was written before it. */
  const untilWritten = async (pattern: RegExp): Promise<string> => {
    const matches = (text: string): boolean => pattern.test(text);
    await until(`${pattern} is written`, () => written.some(matches));
    return written.splice(0, written.findIndex(matches) + 1).at(-1) ?? "";
  };
  const close = async (): Promise<void> => {
    stop.abort();
    await ended;
    await api[Symbol.asyncDispose]();
  };
  return { client, events, untilWritten, [Symbol.asyncDispose]: close };
}

const address = (ip: string) => ({ addresses: [{ type: "InternalIP" as const, address: ip }] });

test("serveProxy() writes everything, then changes, and everything again for changed node addresses", async () => {
  await using proxy = await startProxy();
  const { client, events, untilWritten } = proxy;
  const node = { metadata: { name: "n1" }, spec: {}, status: address("192.0.2.1") };
  await client.create(nodes, node);
  const spec = { clusterIP: "10.96.0.7", ports: [{ port: 80, protocol: "TCP" as const }] };
  await client.create(services, { metadata: { name: "web", namespace: "default" }, spec });
  await untilWritten(/add table ip kube-proxy .*10\.96\.0\.7 \. tcp \. 80 .*reject-chain/s);
  assert.deepEqual(events, ["Normal Starting"]);
  await client.create(endpointSlices, {
    metadata: {
      name: "web",
      namespace: "default",
      labels: { "kubernetes.io/service-name": "web" },
    },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.244.0.7"], conditions: { ready: true } }],
    ports: [{ name: "", port: 8080, protocol: "TCP" }],
  });
  const change = await untilWritten(/dnat to 10\.244\.0\.7:8080/);
  assert.doesNotMatch(change, /add table/);
  assert.match(change, /delete element ip kube-proxy no-endpoint-services \{ 10\.96\.0\.7/);
  await client.patchStatus(nodes, { name: "n1" }, { status: address("192.0.2.2") });
  await untilWritten(/add table ip kube-proxy .*dnat to 10\.244\.0\.7:8080/s);
});
