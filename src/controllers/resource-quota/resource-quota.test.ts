import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, type Pod, pods, type ResourceQuota, resourceQuotas } from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { resourceQuotaController } from "./resource-quota.ts";

const namespace = "default";

test("resourcequota-controller counts objects as they come and go", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [resourceQuotaController]);
  const { client, until } = run;
  const quota: ResourceQuota = {
    metadata: { name: "q", namespace },
    spec: {
      hard: { pods: "5", "requests.cpu": "2", "count/configmaps": "3", "example.com/x": "1" },
    },
  };
  const pod: Pod = {
    metadata: { name: "p", namespace },
    spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "500m" } } }] },
  };
  await client.create(resourceQuotas, quota);
  const used = async () => (await client.get(resourceQuotas, refOf(quota))).status?.used;
  await until("a first count", async () => (await used())?.["pods"] === "0");
  await client.create(pods, pod);
  await client.create(configMaps, { metadata: { name: "c", namespace } });
  await until("one of each", async () => {
    const now = await used();
    return now?.["pods"] === "1" && now["count/configmaps"] === "1";
  });
  assert.deepEqual(await used(), { pods: "1", "requests.cpu": "500m", "count/configmaps": "1" });
  await client.delete(pods, refOf(pod), { gracePeriodSeconds: 0 });
  await until("none", async () => (await used())?.["requests.cpu"] === "0");
});
