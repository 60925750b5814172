import assert from "node:assert/strict";
import { test } from "node:test";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import type { TestApiServer } from "#/testing/start-api-server.ts";

const base = "/api/v1/namespaces/n";

/** A server with a namespace and an unused quota. */
async function startWithQuota(hard: Record<string, string>, spec: object = {}) {
  const api = await startAdmittingServer(["--disable-admission-plugins=ServiceAccount"]);
  await api.call("POST", "/api/v1/namespaces", { metadata: { name: "n" } });
  await addQuota(api, "q", hard, spec);
  return api;
}

/** The quota controller's status of a new quota. */
async function addQuota(
  api: TestApiServer,
  name: string,
  hard: Record<string, string>,
  spec: object = {},
) {
  const created = await api.call("POST", `${base}/resourcequotas`, {
    metadata: { name },
    spec: { hard, ...spec },
  });
  const used = Object.fromEntries(Object.keys(hard).map((key) => [key, "0"]));
  await api.call("PUT", `${base}/resourcequotas/${name}/status`, {
    ...created.json,
    status: { hard, used },
  });
}

const pod = (name: string, requests?: object) => ({
  metadata: { name },
  spec: {
    containers: [{ name: "c", image: "i", ...(requests ? { resources: { requests } } : {}) }],
  },
});

test("ResourceQuota is never exceeded by concurrent requests", async () => {
  await using api = await startWithQuota({ "count/configmaps": "10", configmaps: "12" });
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      api.call("POST", `${base}/configmaps`, { metadata: { name: `m${index}` } }),
    ),
  );
  const created = answers.filter(({ status }) => status === 201);
  assert.equal(created.length, 10);
  const refused = answers.find(({ status }) => status !== 201);
  assert.equal(refused?.status, 403);
  assert.equal(
    refused?.json.message,
    'configmaps "m10" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=10, limited: count/configmaps=10',
  );
  const quota = await api.call("GET", `${base}/resourcequotas/q`);
  assert.deepEqual(quota.json.status.used, { "count/configmaps": "10", configmaps: "10" });
  const list = await api.call("GET", `${base}/configmaps`);
  assert.equal(list.json.items.length, 10);
});

test("ResourceQuota charges nothing for a dry run", async () => {
  await using api = await startWithQuota({ configmaps: "1" });
  await api.call("POST", `${base}/configmaps?dryRun=All`, { metadata: { name: "a" } });
  const quota = await api.call("GET", `${base}/resourcequotas/q`);
  assert.deepEqual(quota.json.status.used, { configmaps: "0" });
});

test("ResourceQuota requires containers to set the limited resources", async () => {
  await using api = await startWithQuota({ cpu: "1", "limits.memory": "1Gi" });
  const { status, json } = await api.call("POST", `${base}/pods`, pod("a"));
  assert.equal(status, 403);
  assert.equal(
    json.message,
    'pods "a" is forbidden: failed quota: q: must specify cpu for: c; limits.memory for: c',
  );
});

test("ResourceQuota adds up requests", async () => {
  await using api = await startWithQuota({ "requests.cpu": "1", pods: "5" });
  assert.equal((await api.call("POST", `${base}/pods`, pod("a", { cpu: "600m" }))).status, 201);
  const { status, json } = await api.call("POST", `${base}/pods`, pod("b", { cpu: "600m" }));
  assert.equal(status, 403);
  assert.equal(
    json.message,
    'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
  );
  const quota = await api.call("GET", `${base}/resourcequotas/q`);
  assert.deepEqual(quota.json.status.used, { pods: "1", "requests.cpu": "600m" });
});

test("ResourceQuota with a scope counts only objects in it", async () => {
  await using api = await startWithQuota({ pods: "0" }, { scopes: ["BestEffort"] });
  assert.equal((await api.call("POST", `${base}/pods`, pod("a", { cpu: "1" }))).status, 201);
  const { status, json } = await api.call("POST", `${base}/pods`, pod("b"));
  assert.equal(status, 403);
  assert.equal(
    json.message,
    'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
  );
});

test("ResourceQuota refuses every request while its status is unknown", async () => {
  await using api = await startWithQuota({ secrets: "1" });
  await api.call("POST", `${base}/resourcequotas`, {
    metadata: { name: "new" },
    spec: { hard: { configmaps: "1" } },
  });
  const created = await api.call("GET", `${base}/resourcequotas/new`);
  await api.call("PUT", `${base}/resourcequotas/new/status`, {
    ...created.json,
    status: { hard: { configmaps: "1" } },
  });
  const { json } = await api.call("POST", `${base}/configmaps`, { metadata: { name: "a" } });
  assert.equal(
    json.message,
    'configmaps "a" is forbidden: status unknown for quota: new, resources: configmaps',
  );
});
