import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "#/testing/start-api-server.ts";

const path = "/api/v1/namespaces/default/configmaps";

test("ApiServer creates, reads, changes and deletes an object", async () => {
  await using api = await startApiServer();
  const created = await api.call("POST", path, { metadata: { name: "a" }, data: { k: "<v>" } });
  assert.equal(created.status, 201);
  assert.match(
    created.text,
    /^\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"a","namespace":"default","uid":"/,
  );
  assert.match(created.text, /"data":\{"k":"\\u003cv\\u003e"\}\}\n$/);

  const read = await api.call("GET", `${path}/a`);
  assert.equal(read.text, created.text);

  const merge = { headers: { "content-type": "application/merge-patch+json" } };
  const patched = await api.call("PATCH", `${path}/a`, { data: { z: "1" } }, merge);
  assert.deepEqual(patched.json.data, { k: "<v>", z: "1" });

  const removed = await api.call("DELETE", `${path}/a`);
  assert.equal(removed.json.status, "Success");
  const gone = await api.call("GET", `${path}/a`);
  assert.equal(gone.status, 404);
  assert.equal(gone.json.message, 'configmaps "a" not found');
});

test("ApiServer omits kind and apiVersion of items in lists of built-in kinds", async () => {
  await using api = await startApiServer();
  for (const name of ["b", "a"]) await api.call("POST", path, { metadata: { name } });
  const { json } = await api.call("GET", "/api/v1/configmaps");
  assert.equal(json.kind, "ConfigMapList");
  assert.deepEqual(
    json.items.map((item: { kind?: string; metadata: { name: string } }) => [
      item.kind,
      item.metadata.name,
    ]),
    [
      [undefined, "a"],
      [undefined, "b"],
    ],
  );
});

test("ApiServer pages through a list at the revision of the first page", async () => {
  await using api = await startApiServer();
  for (const name of ["a", "b", "c"]) await api.call("POST", path, { metadata: { name } });
  const first = await api.call("GET", `${path}?limit=2`);
  assert.equal(first.json.metadata.remainingItemCount, 1);
  await api.call("POST", path, { metadata: { name: "bb" } });
  const token = encodeURIComponent(first.json.metadata.continue);
  const second = await api.call("GET", `${path}?limit=2&continue=${token}`);
  assert.deepEqual(
    second.json.items.map((item: { metadata: { name: string } }) => item.metadata.name),
    ["c"],
  );
  assert.equal(second.json.metadata.resourceVersion, first.json.metadata.resourceVersion);
});

test("ApiServer sends a watcher the objects that match its selector", async () => {
  await using api = await startApiServer();
  const { json: empty } = await api.call("GET", path);
  const end = new AbortController();
  const url = `${path}?watch=1&labelSelector=x%3Dy&resourceVersion=${empty.metadata.resourceVersion}`;
  const watching = api.call("GET", url, undefined, { signal: end.signal });
  await api.call("POST", path, { metadata: { name: "a" } });
  const merge = { headers: { "content-type": "application/merge-patch+json" } };
  await api.call("PATCH", `${path}/a`, { metadata: { labels: { x: "y" } } }, merge);
  await api.call("PATCH", `${path}/a`, { data: { k: "v" } }, merge);
  await api.call("PATCH", `${path}/a`, { metadata: { labels: { x: "z" } } }, merge);
  await api.call("DELETE", `${path}/a`);
  end.abort();
  const events = (await watching).text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    events.map(({ type, object }) => [type, object.metadata.labels?.x, object.data?.k]),
    [
      ["ADDED", "y", undefined],
      ["MODIFIED", "y", "v"],
      ["DELETED", "y", "v"],
    ],
  );
});

test("ApiServer refuses a stale update and keeps the stored object", async () => {
  await using api = await startApiServer();
  const { json: object } = await api.call("POST", path, { metadata: { name: "a" } });
  await api.call("PUT", `${path}/a`, { ...object, data: { k: "1" } });
  const stale = await api.call("PUT", `${path}/a`, { ...object, data: { k: "2" } });
  assert.equal(stale.status, 409);
  assert.equal(
    stale.json.message,
    'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
  );
  assert.deepEqual((await api.call("GET", `${path}/a`)).json.data, { k: "1" });
});

test("ApiServer keeps an object until its finalizers are gone", async () => {
  await using api = await startApiServer();
  await api.call("POST", path, { metadata: { name: "a", finalizers: ["example.com/wait"] } });
  const dying = await api.call("DELETE", `${path}/a`);
  assert.equal(dying.json.metadata.deletionGracePeriodSeconds, 0);
  const again = await api.call("DELETE", `${path}/a`);
  assert.deepEqual(again.json.metadata, dying.json.metadata, "nothing is written twice");
  assert.equal((await api.call("GET", `${path}/a`)).status, 200);
  const merge = { headers: { "content-type": "application/merge-patch+json" } };
  await api.call("PATCH", `${path}/a`, { metadata: { finalizers: null } }, merge);
  assert.equal((await api.call("GET", `${path}/a`)).status, 404);
});
