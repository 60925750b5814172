import assert from "node:assert/strict";
import { test } from "node:test";
import { deployments } from "#/api/apps/v1.ts";
import { type ConfigMap, configMaps } from "#/api/core/v1.ts";
import { internalError, notFound } from "#/machinery/meta/status-error.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { interceptTransport } from "#/testing/intercept-transport.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { Client } from "../client.ts";
import { ConnectionError } from "../transport/connection-error.ts";
import type { ApiRequest, Transport } from "../transport/transport.ts";
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

/** A transport that records reads, and whose creations end in an error, with or without effect. */
function ambiguous(inner: Transport, reads: string[], fails: (request: ApiRequest) => unknown) {
  let isHappening = true;
  const transport: Transport = {
    isWithoutNulls: true,
    async request(request) {
      if (request.method === "GET") {
        const { labelSelector = "", fieldSelector = "" } = request.query as Record<string, string>;
        reads.push(`${request.path} ${labelSelector}${fieldSelector}`);
      }
      if (request.method !== "POST") return await inner.request(request);
      if (isHappening) await inner.request(request);
      throw fails(request);
    },
    watch(request) {
      reads.push(`watch ${request.path}`);
      return inner.watch(request);
    },
    stream: (request) => inner.stream(request),
    upgrade: (request, protocols) => inner.upgrade(request, protocols),
    [Symbol.asyncDispose]: async () => undefined,
  };
  return {
    transport,
    setHappening(now: boolean): void {
      isHappening = now;
    },
  };
}

const lostAnswer = ({ path, method }: ApiRequest) =>
  new ConnectionError(
    { method, url: `https://server${path}` },
    Object.assign(new Error("hung up"), { code: "ECONNRESET" }),
  );
const refusedByWebhook = () =>
  internalError(new Error('failed calling webhook "x.example.com": connection refused'));

for (const { name, fails } of [
  { name: "whose answer is lost", fails: lostAnswer },
  { name: "that ends in an internal error", fails: refusedByWebhook },
]) {
  test(`WriteThroughClient reads only what may be the result of a creation ${name}`, async () => {
    await using api = await startApiServer();
    const stop = new AbortController();
    const reads: string[] = [];
    const { transport, setHappening } = ambiguous(api.transport(), reads, fails);
    const informers = new Informers(new Client(transport), stop.signal);
    const { store } = informers.informer(configMaps);
    await informers.synced();
    const client = new WriteThroughClient(new Client(transport), informers, stop.signal);
    const path = "/api/v1/namespaces/default/configmaps";
    reads.length = 0;

    await assert.rejects(client.create(configMaps, { metadata: ref("a") }));
    assert.equal(store.get("default", "a")?.metadata.name, "a");
    const labels = { app: "x", of: "1" };
    const generated = { generateName: "g-", namespace: "default", labels };
    await assert.rejects(client.create(configMaps, { metadata: generated }));
    assert.deepEqual(store.list().length, 2);
    setHappening(false);
    const failing = Array.from({ length: 50 }, () =>
      client.create(configMaps, { metadata: generated }).catch(() => undefined),
    );
    await Promise.all(failing);
    await nextTurn();
    assert.deepEqual(store.list().length, 2);
    assert.deepEqual(reads.slice(0, 3), [
      `${path} metadata.name=a`,
      `${path} app=x,of=1`,
      `${path} app=x,of=1`,
    ]);
    // The parallel failures share their reads, and no informer starts again.
    assert.ok(reads.length < 10, String(reads.length));
    stop.abort();
  });
}

test("WriteThroughClient does not wait for a read that the server refuses, or that no request can hold", async () => {
  await using api = await startApiServer();
  const stop = new AbortController();
  let refuses = false;
  const selectors: unknown[] = [];
  const transport = interceptTransport(api.transport(), {
    before: ({ method, query }, isWatch) => {
      if (method === "POST") throw refusedByWebhook();
      if (isWatch || !refuses) return;
      selectors.push((query as Record<string, unknown>)["labelSelector"]);
      throw notFound(configMaps, "");
    },
  });
  const informers = new Informers(new Client(transport), stop.signal);
  informers.informer(configMaps);
  await informers.synced();
  const client = new WriteThroughClient(new Client(transport), informers, stop.signal);
  refuses = true;
  const labels = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`label-${i}`, "x"]));
  const metadata = { generateName: "g-", namespace: "default", labels };
  await assert.rejects(client.create(configMaps, { metadata }), { code: 500 });
  assert.equal(selectors.length, 1);
  assert.ok(String(selectors[0]).length < 1_000);
  stop.abort();
});
