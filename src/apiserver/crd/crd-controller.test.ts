import assert from "node:assert/strict";
import { test } from "node:test";
import { customResourceDefinitions } from "#/api/apiextensions/v1.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const widgets = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget", shortNames: ["wd"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        additionalPrinterColumns: [
          { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: {
                  size: { type: "string", enum: ["small", "large"] },
                  replicas: { type: "integer", default: 1, maximum: 10 },
                },
              },
              status: { type: "object", properties: { replicas: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
};

const path = "/apis/example.com/v1/namespaces/default/widgets";

async function established(api: TestApiServer): Promise<void> {
  assert.equal((await api.call("POST", crds, widgets)).status, 201);
  for (let turn = 0; turn < 1000; turn++) {
    const { json } = await api.call("GET", `${crds}/widgets.example.com`);
    const condition = json.status.conditions?.find(
      ({ type }: { type: string }) => type === "Established",
    );
    if (condition?.status === "True" && api.registry.catalog.findResource("example.com", "widgets"))
      return;
  }
  assert.fail("not established");
}

test("CrdController serves the resource of a CRD", async () => {
  await using api = await startApiServer();
  await established(api);
  const created = await api.call("POST", path, {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "a" },
    spec: { size: "small", extra: 1 },
  });
  assert.equal(created.status, 201, created.text);
  assert.deepEqual(created.json.spec, { replicas: 1, size: "small" });
  assert.equal(created.json.metadata.generation, 1);
  assert.match(created.text, /^\{"apiVersion":"example.com\/v1","kind":"Widget","metadata":/);
  const list = await api.call("GET", path);
  assert.equal(list.json.kind, "WidgetList");
  assert.equal(list.json.items[0].kind, "Widget");
});

test("CrdController validates objects by the CRD's schema", async () => {
  await using api = await startApiServer();
  await established(api);
  const bad = await api.call("POST", path, {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "a" },
    spec: { size: "huge", replicas: 11 },
  });
  assert.equal(bad.status, 422);
  assert.equal(
    bad.json.message,
    'Widget.example.com "a" is invalid: [spec.size: Unsupported value: "huge": supported values: "small", "large", spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10]',
  );
});

test("CrdController serves status and scale as subresources", async () => {
  await using api = await startApiServer();
  await established(api);
  await api.call("POST", path, {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "a" },
    spec: { size: "small" },
  });
  const merge = { headers: { "content-type": "application/merge-patch+json" } };
  const scaled = await api.call("PATCH", `${path}/a/scale`, { spec: { replicas: 3 } }, merge);
  assert.equal(scaled.json.kind, "Scale");
  assert.equal(scaled.json.spec.replicas, 3);
  const status = await api.call(
    "PATCH",
    `${path}/a/status`,
    { spec: { replicas: 9 }, status: { replicas: 3 } },
    merge,
  );
  assert.deepEqual([status.json.spec.replicas, status.json.status.replicas], [3, 3]);
  assert.equal(status.json.metadata.generation, 2);
});

test("CrdController deletes the objects of a deleted CRD", async () => {
  await using api = await startApiServer();
  await established(api);
  await api.call("POST", path, {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "a" },
    spec: { size: "small" },
  });
  const dying = await api.call("DELETE", `${crds}/widgets.example.com`);
  assert.deepEqual(dying.json.metadata.finalizers, ["customresourcecleanup.apiextensions.k8s.io"]);
  for (let turn = 0; turn < 1000; turn++) {
    if ((await api.call("GET", `${crds}/widgets.example.com`)).status === 404) break;
  }
  assert.equal((await api.call("GET", path)).status, 404);
  const left = await api.registry.storage.range("/registry/example.com/widgets/");
  assert.equal(left.entries.length, 0);
});

test("CrdController ends watches of a resource when its CRD changes", async () => {
  await using api = await startApiServer();
  await established(api);
  const watching = api.call("GET", `${path}?watch=true`);
  for (let turn = 0; turn < 1000; turn++) {
    const resource = api.registry.catalog.findResource("example.com", "widgets");
    if (resource && resource.store.cache.watcherCount > 0) break;
    await api.call("GET", crds);
  }
  const changed = await api.call(
    "PATCH",
    `${crds}/widgets.example.com`,
    { spec: { names: { shortNames: ["wi"] } } },
    { headers: { "content-type": "application/merge-patch+json" } },
  );
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual([(await watching).status, (await watching).text], [200, ""]);
});

test("discovery lists a custom resource only after its definition is established", async () => {
  await using api = await startApiServer();
  const seen: boolean[] = [];
  const definition = () => api.registry.store(customResourceDefinitions);
  using _ = api.registry.catalog.onChange(() => {
    const isListed = [...api.registry.catalog.listed].some(
      ({ declaration }) => declaration.handle.name === "widgets",
    );
    if (!isListed) return;
    const stored = definition().findCached("", "widgets.example.com")?.parsed() as
      | { status?: { conditions?: { type: string; status: string }[] } }
      | undefined;
    const conditions = stored?.status?.conditions ?? [];
    seen.push(conditions.some(({ type, status }) => type === "Established" && status === "True"));
  });
  await established(api);
  for (let turn = 0; turn < 1000 && seen.length === 0; turn++) await api.call("GET", "/apis");
  assert.deepEqual(new Set(seen), new Set([true]));
  const { json } = await api.call("GET", "/apis/example.com/v1");
  assert.deepEqual(
    json.resources.map(({ name }: { name: string }) => name),
    ["widgets", "widgets/status", "widgets/scale"],
  );
});
