import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConfigMap, configMaps } from "#/api/core/v1.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import type { Informer } from "./informer.ts";
import { Informers } from "./informers.ts";

const configMap = (name: string, labels: Record<string, string> = {}): ConfigMap => ({
  metadata: { name, namespace: "default", labels },
});

/** Resolves when the condition holds for the informer. */
function until<T>(informer: Informer<T>, holds: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = () => void (holds() && resolve());
  informer.subscribe({ added: check, updated: check, deleted: check });
  check();
  return promise;
}

test("Informers keep a store up to date", async () => {
  await using api = await startApiServer();
  const client = api.client();
  const stop = new AbortController();
  const informers = new Informers(client, stop.signal);
  await client.create(configMaps, configMap("a", { app: "x" }));
  const informer = informers.informer(configMaps, {
    indexes: { app: ({ metadata }) => [metadata.labels?.["app"] ?? ""] },
  });
  assert.equal(informer.hasSynced, false);
  await informers.synced();
  assert.deepEqual(informer.store.get("default", "a")?.metadata.labels, { app: "x" });
  await client.create(configMaps, configMap("b", { app: "y" }));
  await client.patch(
    configMaps,
    { name: "a", namespace: "default" },
    { metadata: { labels: { app: "y" } } },
    { type: "merge" },
  );
  await until(informer, () => informer.store.byIndex("app", "y").length === 2);
  assert.deepEqual(informer.store.byIndex("app", "x"), []);
  await client.delete(configMaps, { name: "a", namespace: "default" });
  await until(informer, () => informer.store.size === 1);
  assert.deepEqual(informer.store.listNamespace("default"), [
    await client.get(configMaps, { name: "b", namespace: "default" }),
  ]);
  stop.abort();
});

test("Informers share a watch between callers with the same selection", async () => {
  await using api = await startApiServer();
  const client = api.client();
  const stop = new AbortController();
  const informers = new Informers(client, stop.signal);
  const all = informers.informer(configMaps);
  const late = informers.informer(configMaps, {
    indexes: { name: (object) => [object.metadata.name ?? ""] },
  });
  assert.equal(all, late);
  const some = informers.informer(configMaps, { labelSelector: "app=x" });
  assert.notEqual(all, some);
  await client.create(configMaps, configMap("a", { app: "x" }));
  await client.create(configMaps, configMap("b"));
  await until(late, () => late.store.byIndex("name", "b").length === 1);
  await until(some, () => some.store.size === 1);
  stop.abort();
  const reason = new Error("stopped");
  const stopped = new Informers(client, AbortSignal.abort(reason)).informer(configMaps);
  await assert.rejects(stopped.synced, reason);
});
