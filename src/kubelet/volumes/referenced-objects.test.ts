import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, namespaces, type Pod } from "#/api/core/v1.ts";
import { Client } from "#/client/client.ts";
import { nextTurn, systemClock } from "#/std/time/clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { podReferences } from "./pod-references.ts";
import { ReferencedObjects } from "./referenced-objects.ts";

const pod: Pod = {
  metadata: { name: "p", namespace: "n", uid: "u" },
  spec: {
    imagePullSecrets: [{ name: "pull" }],
    volumes: [
      { name: "a", configMap: { name: "here" } },
      {
        name: "b",
        projected: { sources: [{ secret: { name: "s" } }, { configMap: { name: "m" } }] },
      },
    ],
    containers: [
      {
        name: "c",
        envFrom: [{ secretRef: { name: "all" } }],
        env: [{ name: "E", valueFrom: { configMapKeyRef: { name: "key", key: "k" } } }],
      },
    ],
  },
};

test("podReferences() finds volumes, variables and pull secrets", () => {
  const { configMaps, secrets } = podReferences(pod);
  assert.deepEqual([...configMaps].sort(), ["here", "key", "m"]);
  assert.deepEqual([...secrets].sort(), ["all", "pull", "s"]);
});

test("ReferencedObjects reads the objects that pods refer to, and reports changes", async () => {
  await using api = await startApiServer();
  const client = api.client();
  await client.create(namespaces, { metadata: { name: "n" }, spec: {} });
  const here = { metadata: { name: "here", namespace: "n" }, data: { k: "1" } };
  await client.create(configMaps, here);
  using objects = new ReferencedObjects(client, systemClock);
  const changes = Promise.withResolvers<readonly string[]>();
  objects.register(pod);
  assert.deepEqual((await objects.getConfigMap("n", "here")).data, { k: "1" });
  await assert.rejects(objects.getConfigMap("n", "m"), { message: 'configmap "m" not found' });
  objects.subscribe((uids) => changes.resolve(uids));
  await client.update(configMaps, { ...here, data: { k: "2" } });
  assert.deepEqual(await changes.promise, ["u"]);
  assert.deepEqual((await objects.getConfigMap("n", "here")).data, { k: "2" });
  objects.unregister("u");
});

test("ReferencedObjects ends its watches when it is closed, pods or not", async () => {
  await using api = await startApiServer();
  const { transport } = api.client();
  const ended = Promise.withResolvers<void>();
  const watched = Promise.withResolvers<void>();
  const watching = new Set<string>();
  const client = new Client({
    ...transport,
    request: (request) => transport.request(request),
    async *watch(request) {
      watching.add(request.path);
      watched.resolve();
      request.signal?.addEventListener("abort", () => {
        watching.delete(request.path);
        if (watching.size === 0) ended.resolve();
      });
      yield* transport.watch(request);
    },
  } as Client["transport"]);
  const objects = new ReferencedObjects(client, systemClock);
  objects.register(pod);
  await watched.promise;
  objects[Symbol.dispose]();
  await ended.promise;
  objects.register(pod);
  await nextTurn();
  assert.deepEqual([...watching], []);
});
