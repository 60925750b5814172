import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, namespaces, type Pod } from "#/api/core/v1.ts";
import { systemClock } from "#/std/clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { podReferences, ReferencedObjects } from "./referenced-objects.ts";

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

test("ReferencedObjects reads what pods refer to, and tells of changes", async () => {
  await using api = await startApiServer();
  const client = api.client();
  await client.create(namespaces, { metadata: { name: "n" }, spec: {} });
  const here = { metadata: { name: "here", namespace: "n" }, data: { k: "1" } };
  await client.create(configMaps, here);
  const objects = new ReferencedObjects(client, systemClock);
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
