import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, namespaces, pods } from "#/api/core/v1.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { nextTurn, systemClock } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { serviceAccountController } from "../service-account/service-account.ts";
import { computeConditions } from "./conditions.ts";
import { namespaceController } from "./namespace.ts";

test("namespace-controller empties a namespace, pods first, and removes its finalizer", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [namespaceController, serviceAccountController]);
  const { client, until } = run;
  await client.create(namespaces, { metadata: { name: "n" }, spec: {} });
  const ref = (name: string) => ({ name, namespace: "n" });
  const pod = {
    metadata: ref("p"),
    spec: { nodeName: "x", containers: [{ name: "c", image: "i" }] },
  };
  await client.create(pods, pod);
  await client.create(configMaps, { metadata: ref("c") });
  await client.delete(namespaces, { name: "n" });
  await until("a pod that goes", async () => {
    const { metadata } = await client.get(pods, ref("p"));
    return metadata.deletionTimestamp !== undefined;
  });
  assert.equal((await client.get(configMaps, ref("c"))).metadata.name, "c");
  await client.delete(pods, ref("p"), { gracePeriodSeconds: 0 });
  await until("its end", () => client.get(namespaces, { name: "n" }).then(() => false, isNotFound));
});

test("namespace-controller checks a namespace that finalizers hold each 8 s, not each second", async () => {
  const clock = new FakeClock(systemClock.now());
  await using api = await startApiServer();
  await using run = runControllersOn(api, [namespaceController], { clock });
  const { client, until } = run;
  await client.create(namespaces, { metadata: { name: "n" }, spec: {} });
  const ref = { name: "c", namespace: "n" };
  await client.create(configMaps, { metadata: { ...ref, finalizers: ["example.com/hold"] } });
  await client.delete(namespaces, { name: "n" });
  const conditions = async () =>
    (await client.get(namespaces, { name: "n" })).status?.conditions ?? [];
  await until("conditions", async () => {
    await clock.advance(1000);
    return (await conditions()).some(({ status }) => status === "True");
  });
  const { transport } = client;
  const ask = transport.request.bind(transport);
  const paths: string[] = [];
  transport.request = (request) => {
    if (request.path === "/api/v1/namespaces/n/configmaps") paths.push(request.method);
    return ask(request);
  };
  for (let second = 0; second < 120; second++) {
    await clock.advance(1000);
    for (let turn = 0; turn < 20; turn++) await nextTurn();
  }
  const checks = paths.filter((method) => method === "DELETE").length;
  assert.ok(checks >= 3 && checks <= 20, `${checks} checks in 120 s`);
  await client.patch(configMaps, ref, { metadata: { finalizers: null } }, { type: "merge" });
  await until("its end", async () => {
    await clock.advance(1000);
    return await client.get(namespaces, { name: "n" }).then(() => false, isNotFound);
  });
});

test("computeConditions() reports remaining objects and their finalizers", () => {
  const conditions = computeConditions(
    [],
    {
      failures: ["b", "a"],
      remains: [
        {
          resource: { group: "", name: "pods" },
          count: 2,
          finalizers: new Map([["x/y", 1]]),
          estimateSeconds: 15,
        },
        {
          resource: { group: "apps", name: "deployments" },
          count: 1,
          finalizers: new Map(),
          estimateSeconds: 0,
        },
      ],
    },
    0,
  );
  assert.deepEqual(
    conditions.map(({ status, message }) => `${status} ${message}`),
    [
      "False All resources successfully discovered",
      "False All legacy kube types successfully parsed",
      "True Failed to delete all resource types, 2 remaining: a, b",
      "True Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances",
      "True Some content in the namespace has finalizers remaining: x/y in 1 resource instances",
    ],
  );
});
