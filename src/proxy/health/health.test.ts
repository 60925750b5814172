import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "#/api/core/v1.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { proxyMetrics } from "../base/metrics.ts";
import { healthzReply, livezReply } from "./health-replies.ts";
import { ProxyHealth } from "./proxy-health.ts";
import { ServiceHealth } from "./service-health.ts";

const metrics = proxyMetrics(new Registry(), "nftables");
const node: Node = { metadata: { name: "n1" }, spec: {} };

test("ProxyHealth is unhealthy when changes wait too long, and healthy after they are written", async () => {
  const clock = new FakeClock();
  const health = new ProxyHealth(clock, 60_000);
  health.updated("IPv4");
  health.queued("IPv4");
  await clock.advance(59_000);
  health.queued("IPv4");
  assert.equal(health.healthy, true);
  await clock.advance(1000);
  assert.equal(health.healthy, false);
  assert.equal(health.report().status?.["IPv4"]?.healthy, false);
  health.updated("IPv4");
  assert.equal(health.healthy, true);
});

test("healthzReply() is 503 for a node that is being removed, livezReply() is not", () => {
  const health = new ProxyHealth(new FakeClock(), 60_000);
  const time = "2025-01-01T00:00:00.000Z";
  assert.deepEqual(JSON.parse(String(healthzReply(health, node, metrics).body)), {
    lastUpdated: time,
    currentTime: time,
    nodeEligible: true,
    healthy: true,
  });
  const tainted = {
    ...node,
    spec: { taints: [{ key: "ToBeDeletedByClusterAutoscaler", effect: "NoSchedule" as const }] },
  };
  assert.equal(healthzReply(health, tainted, metrics).status, 503);
  assert.equal(healthzReply(health, undefined, metrics).status, 503);
  assert.equal(livezReply(health, metrics).status, 200);
});

test("ServiceHealth reports the number of local endpoints", async () => {
  const proxyHealth = new ProxyHealth(new FakeClock(), 60_000);
  const failures: string[] = [];
  await using checks = new ServiceHealth({
    hosts: ["127.0.0.1"],
    proxyHealth,
    onFailure: (service) => failures.push(service),
  });
  const port = 39_871;
  await checks.sync(new Map([["default/web", { port, localEndpoints: 2 }]]));
  const found = await fetch(`http://127.0.0.1:${port}/`);
  assert.equal(found.status, 200);
  assert.equal(found.headers.get("x-load-balancing-endpoint-weight"), "2");
  assert.deepEqual(await found.json(), {
    service: { namespace: "default", name: "web" },
    localEndpoints: 2,
    serviceProxyHealthy: true,
  });
  const none = { port, localEndpoints: 0 };
  await checks.sync(
    new Map([
      ["default/web", none],
      ["default/other", none],
    ]),
  );
  assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 503);
  assert.deepEqual(failures, ["default/other"]);
});
