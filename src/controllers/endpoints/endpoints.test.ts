import assert from "node:assert/strict";
import { test } from "node:test";
import { endpoints, pods, services } from "#/api/core/v1.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { endpointsController } from "./endpoints.ts";
import { repack, truncate } from "./repack.ts";

const namespace = "default";
const ref = { name: "web", namespace };

test("endpoints-controller separates ready and other Pods, and deletes Endpoints with the Service", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [endpointsController]);
  const { client, until } = run;
  const labels = { app: "web" };
  await client.create(services, {
    metadata: ref,
    spec: { clusterIP: "None", selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
  });
  await client.create(pods, {
    metadata: { name: "p", namespace, labels },
    spec: { containers: [{ name: "c", image: "i" }] },
  });
  const setReady = (status: "True" | "False") =>
    client.patchStatus(
      pods,
      { name: "p", namespace },
      {
        status: {
          podIP: "10.0.0.1",
          podIPs: [{ ip: "10.0.0.1" }],
          conditions: [{ type: "Ready", status }],
        },
      },
    );
  const subset = async () => (await client.get(endpoints, ref)).subsets?.[0];
  await setReady("False");
  await until("a pod that isn't ready", async () =>
    subset().then(
      (one) => one?.notReadyAddresses?.length === 1,
      () => false,
    ),
  );
  await setReady("True");
  await until("a ready pod", async () => (await subset())?.addresses?.length === 1);
  const found = await subset();
  assert.equal(found?.addresses?.[0]?.ip, "10.0.0.1");
  assert.deepEqual(found?.ports, [{ port: 8080, protocol: "TCP" }]);
  await client.delete(services, ref);
  await until("the end", () =>
    client.get(endpoints, ref).then(
      () => false,
      (error: unknown) => isNotFound(error),
    ),
  );
});

test("repack joins ports of one address and addresses of the same ports", () => {
  const [a, b] = [{ ip: "1.1.1.1" }, { ip: "2.2.2.2" }];
  const [one, two] = [{ port: 1 }, { port: 2 }];
  assert.deepEqual(
    repack([
      { addresses: [b], ports: [two] },
      { addresses: [a], ports: [one] },
      { addresses: [b], ports: [one] },
      { notReadyAddresses: [a], ports: [two, one] },
    ]),
    [
      { addresses: [a], ports: [one] },
      { addresses: [b], notReadyAddresses: [a], ports: [one, two] },
    ],
  );
});

test("truncate drops addresses that aren't ready first", () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => ({ ip: `${at}` }));
  const few = truncate([{ addresses: many(10), notReadyAddresses: many(10) }]);
  assert.equal(few.isTruncated, false);
  const { subsets, isTruncated } = truncate([
    { addresses: many(600), notReadyAddresses: many(300) },
    { addresses: many(300), notReadyAddresses: many(300) },
  ]);
  assert.equal(isTruncated, true);
  assert.deepEqual(
    subsets.map((one) => [one.addresses?.length, one.notReadyAddresses?.length]),
    [
      [600, 50],
      [300, 50],
    ],
  );
});
