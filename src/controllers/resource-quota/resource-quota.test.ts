import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, type Pod, pods, type ResourceQuota, resourceQuotas } from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { resourceQuotaController } from "./resource-quota.ts";

const namespace = "n";

const pod = (name: string): Pod => ({
  metadata: { name, namespace },
  spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "500m" } } }] },
});

/** A server with quota admission. */
async function startServer() {
  const api = await startAdmittingServer(["--disable-admission-plugins=ServiceAccount"]);
  await api.call("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  return api;
}

test("resourcequota-controller counts objects as they are created and deleted", async () => {
  await using api = await startServer();
  await using run = runControllersOn(api, [resourceQuotaController]);
  const { client, until } = run;
  const quota: ResourceQuota = {
    metadata: { name: "q", namespace },
    spec: {
      hard: { pods: "5", "requests.cpu": "2", "count/configmaps": "3", "example.com/x": "1" },
    },
  };
  await client.create(resourceQuotas, quota);
  const used = async () => (await client.get(resourceQuotas, refOf(quota))).status?.used;
  await until("a first count", async () => (await used())?.["pods"] === "0");
  await client.create(pods, pod("p"));
  await client.create(configMaps, { metadata: { name: "c", namespace } });
  await until("one of each", async () => {
    const now = await used();
    return now?.["pods"] === "1" && now["count/configmaps"] === "1";
  });
  assert.deepEqual(await used(), { pods: "1", "requests.cpu": "500m", "count/configmaps": "1" });
  await client.delete(pods, { name: "p", namespace }, { gracePeriodSeconds: 0 });
  await until("none", async () => (await used())?.["requests.cpu"] === "0");
});

test("resourcequota-controller leaves counting of new objects to admission", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [resourceQuotaController]);
  const { client, until } = run;
  const created = await client.create(resourceQuotas, {
    metadata: { name: "q", namespace },
    spec: { hard: { pods: "9" } },
  });
  const counts: unknown[] = [];
  const find = async () => {
    const { status } = await client.get(resourceQuotas, refOf(created));
    if (counts.at(-1) !== status?.used?.["pods"]) counts.push(status?.used?.["pods"]);
    return counts.at(-1);
  };
  await until("a first count", async () => (await find()) === "0");
  const status = { hard: { pods: "9" }, used: { pods: "5" } };
  await client.patch(
    resourceQuotas,
    refOf(created),
    { status },
    {
      type: "merge",
      subresource: "status",
    },
  );
  for (let index = 0; index < 20; index++) {
    await client.create(pods, pod(`p${index}`));
    await find();
  }
  await client.delete(pods, { name: "p0", namespace }, { gracePeriodSeconds: 0 });
  await until("another count", async () => (await find()) === "19");
  assert.deepEqual(
    counts.filter((count) => count !== undefined),
    ["0", "5", "19"],
  );
});
