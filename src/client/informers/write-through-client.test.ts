import assert from "node:assert/strict";
import { test } from "node:test";
import { deployments } from "#/api/apps/v1.ts";
import { type ConfigMap, configMaps } from "#/api/core/v1.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { Informers } from "./informers.ts";
import { WriteThroughClient } from "./write-through-client.ts";

const ref = (name: string) => ({ name, namespace: "default" });

test("WriteThroughClient has each write in the stores when it resolves", async () => {
  await using api = await startApiServer();
  const stop = new AbortController();
  const informers = new Informers(api.client(), stop.signal);
  const { store } = informers.informer(configMaps);
  const labelled = informers.informer(configMaps, { labelSelector: "a=b" });
  await informers.synced();
  const client = new WriteThroughClient(api.client(), informers, stop.signal);
  const held = (name: string): ConfigMap | undefined => store.get("default", name);

  const made = await client.create(configMaps, { metadata: ref("a"), data: { n: "1" } });
  assert.equal(held("a"), made);
  const updated = await client.update(configMaps, { ...made, data: { n: "2" } });
  assert.equal(held("a"), updated);
  const patched = await client.patch(configMaps, ref("a"), { data: { n: "3" } }, { type: "merge" });
  assert.equal(held("a"), patched);
  await client.patch(configMaps, ref("a"), { data: { n: "4" } }, { type: "merge", dryRun: true });
  assert.equal(held("a"), patched);
  await client.delete(configMaps, ref("a"));
  assert.equal(held("a"), undefined);

  const metadata = { ...ref("f"), finalizers: ["example.com/wait"] };
  await client.create(configMaps, { metadata });
  await client.delete(configMaps, ref("f"));
  assert.ok(held("f")?.metadata.deletionTimestamp);
  await client.patch(configMaps, ref("f"), { metadata: { finalizers: null } }, { type: "merge" });
  assert.equal(held("f"), undefined);
  assert.equal(labelled.store.size, 0);

  const reason = new Error("no longer the leader");
  stop.abort(reason);
  await assert.rejects(client.create(configMaps, { metadata: ref("b") }), reason);
});

test("WriteThroughClient keeps responses of subresources out of the stores", async () => {
  await using api = await startApiServer();
  const stop = new AbortController();
  const informers = new Informers(api.client(), stop.signal);
  const { store } = informers.informer(deployments);
  await informers.synced();
  const client = new WriteThroughClient(api.client(), informers, stop.signal);
  const labels = { app: "x" };
  await client.create(deployments, {
    metadata: ref("d"),
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  const scale = { metadata: ref("d"), spec: { replicas: 3 } };
  await client.updateSubresource(deployments, ref("d"), "scale", scale);
  assert.equal(store.get("default", "d")?.kind, "Deployment");
  stop.abort();
});
