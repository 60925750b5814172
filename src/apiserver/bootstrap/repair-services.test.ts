import assert from "node:assert/strict";
import { test } from "node:test";
import { services } from "#/api/core/v1.ts";
import { events } from "#/api/events/v1.ts";
import { ipAddresses, serviceCIDRs } from "#/api/networking/v1.ts";
import { logger } from "#/std/log/log.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { NodePorts } from "../resources/core/service/allocators/node-ports.ts";
import { repairServices } from "./repair-services.ts";

const nodePortRange = { first: 30000, last: 32767 };

test("repairServices() allocates the addresses and ports of Services again, every three minutes", async () => {
  const clock = new FakeClock("2026-01-01T00:00:00Z");
  await using api = await startApiServer({ clock });
  const client = api.client();
  const spec = { cidrs: ["10.96.0.0/16"] };
  await client.create(serviceCIDRs, { metadata: { name: "kubernetes" }, spec });
  const [first, second] = await Promise.all(
    ["a", "b"].map((name) =>
      client.create(services, {
        metadata: { name, namespace: "default" },
        spec: { type: "NodePort", ports: [{ port: 80 }] },
      }),
    ),
  );
  const address = first?.spec.clusterIP ?? "";
  const port = second?.spec.ports?.[0]?.nodePort ?? 0;
  const ports = new NodePorts(nodePortRange);
  const { storage } = api.registry.store(services);
  const isTaken = () => ports.tryTake(storage, (taken) => taken.has(port));
  const reasons = async () =>
    (await client.list(events)).items
      .map(({ reason, regarding, action }) => `${regarding?.name} ${action} ${reason}`)
      .sort();
  const orphan = {
    metadata: {
      name: "10.96.7.7",
      labels: {
        "ipaddress.kubernetes.io/ip-family": "IPv4",
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
      },
    },
    spec: { parentRef: { resource: "services", namespace: "default", name: "gone" } },
  };
  await client.create(ipAddresses, orphan);
  await client.delete(ipAddresses, { name: address });
  await ports.release(storage, [port]);

  const stop = new AbortController();
  const options = { handler: api.handler, registry: api.registry, nodePortRange };
  const running = repairServices({ ...options, log: logger("test") }, stop.signal);
  const expected = [
    "a ClusterIPAllocation ClusterIPNotAllocated",
    "b PortAllocation PortNotAllocated",
  ];
  await until("both are recorded as repaired", async () => (await reasons()).length === 2);
  assert.deepEqual(await reasons(), expected);
  await client.get(ipAddresses, { name: address });
  assert.equal(await isTaken(), true);

  // The Service may still be in creation, until a minute has passed.
  await client.get(ipAddresses, { name: orphan.metadata.name });
  await clock.advance(3 * 60_000);
  await until("the orphan is gone", async () => {
    const { items } = await client.list(ipAddresses);
    return items.every(({ metadata }) => metadata.name !== orphan.metadata.name);
  });
  stop.abort();
  await running;
});
