import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, namespaces } from "#/api/core/v1.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";

const settings = { metadata: { name: "settings", namespace: "default" }, data: { a: "1" } };
const ref = { name: "settings", namespace: "default" };

test("InProcessTransport returns the server's own objects", async () => {
  await using api = await startApiServer();
  const client = api.client();
  await client.create(configMaps, settings);
  const first = await client.get(configMaps, ref);
  assert.equal(first, await client.get(configMaps, ref));
  const list = await client.list(configMaps, { namespace: "default" });
  assert.equal(list.items[0], first);
  assert.equal(list.metadata.resourceVersion, first.metadata.resourceVersion);
  assert.deepEqual([first.kind, first.apiVersion], ["ConfigMap", "v1"]);
  assert.throws(() => Object.assign(first, { data: {} }), TypeError);
});

test("InProcessTransport.watch() yields changes until the loop ends", async () => {
  await using api = await startApiServer();
  const client = api.client();
  const made = await client.create(configMaps, settings);
  const seen: string[] = [];
  for await (const event of client.watch(configMaps, {
    sendInitialEvents: true,
    resourceVersionMatch: "NotOlderThan",
  })) {
    seen.push(`${event.type} ${event.object.metadata?.name ?? "-"}`);
    if (event.type === "ADDED") assert.equal(event.object, await client.get(configMaps, ref));
    if (event.type === "BOOKMARK") await client.delete(configMaps, ref);
    if (event.type === "DELETED") break;
  }
  assert.deepEqual(seen, ["ADDED settings", "BOOKMARK -", "DELETED settings"]);
  assert.equal(made.metadata.name, "settings");
});

test("InProcessTransport.watch() yields events of metadata only", async () => {
  await using api = await startApiServer();
  const client = api.client();
  await client.create(configMaps, settings);
  const seen: unknown[] = [];
  const options = { metadataOnly: true, sendInitialEvents: true } as const;
  for await (const { type, object } of client.watch(configMaps, {
    ...options,
    resourceVersionMatch: "NotOlderThan",
  })) {
    const { kind, metadata, data } = object as typeof settings & { kind?: string };
    seen.push([type, kind, metadata.name, data]);
    if (type === "BOOKMARK") await client.delete(configMaps, ref);
    if (type === "DELETED") break;
  }
  const partial = "PartialObjectMetadata";
  assert.deepEqual(seen[0], ["ADDED", partial, "settings", undefined]);
  assert.deepEqual(seen.at(-1), ["DELETED", partial, "settings", undefined]);
});

test("InProcessTransport throws the server's errors", async () => {
  await using api = await startApiServer();
  const client = api.client();
  const missing = client.get(namespaces, { name: "nowhere" });
  await assert.rejects(missing, { message: 'namespaces "nowhere" not found' });
  const watch = client.watch(configMaps, { resourceVersion: "invalid" });
  await assert.rejects(watch.next(), (error) => isStatusError(error));
});

test("InProcessTransport.watch() ends with its signal's reason", async () => {
  await using api = await startApiServer();
  const stop = new AbortController();
  const { signal } = stop;
  const options = { resourceVersion: "0", allowWatchBookmarks: false, signal };
  const next = api.client().watch(configMaps, options).next();
  const reason = new Error("no more");
  const refused = assert.rejects(next, reason);
  await nextTurn();
  stop.abort(reason);
  await refused;
});
