import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "#/testing/start-api-server.ts";

const pods = "/api/v1/namespaces/n/pods";
const container = { name: "c", image: "i" };

const cases = [
  {
    subresource: "ephemeralcontainers",
    spec: { containers: null, ephemeralContainers: [{ name: "e", image: "debug" }] },
  },
  { subresource: "resize", spec: { containers: [container] } },
] as const;

for (const { subresource, spec } of cases) {
  test(`PUT of a Pod's ${subresource} needs only the name and that part`, async () => {
    await using api = await startApiServer();
    await api.call("POST", "/api/v1/namespaces", { metadata: { name: "n" } });
    const { json: made } = await api.call("POST", pods, {
      metadata: { name: "p", labels: { a: "b" } },
      spec: { containers: [container] },
    });
    const { status, json } = await api.call("PUT", `${pods}/p/${subresource}`, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec,
    });
    assert.equal(status, 200, json.message);
    const { uid, creationTimestamp, labels } = made.metadata;
    assert.deepEqual(
      [json.metadata.uid, json.metadata.creationTimestamp, json.metadata.labels],
      [uid, creationTimestamp, labels],
    );
  });
}

test("writers of a Pod's resize and ephemeralcontainers own only these parts", async () => {
  await using api = await startApiServer();
  await api.call("POST", "/api/v1/namespaces", { metadata: { name: "n" } });
  const requesting = (cpu: string): object => ({ ...container, resources: { requests: { cpu } } });
  await api.call("POST", pods, {
    metadata: { name: "p" },
    spec: { containers: [requesting("1")] },
  });
  const annotations = { a: "b" };
  const writes = {
    resize: { containers: [requesting("2")] },
    ephemeralcontainers: { ephemeralContainers: [{ name: "e", image: "debug" }] },
  };
  for (const [subresource, spec] of Object.entries(writes)) {
    const { status, json } = await api.call(
      "PATCH",
      `${pods}/p/${subresource}`,
      { metadata: { annotations }, spec },
      { headers: { "content-type": "application/strategic-merge-patch+json" } },
    );
    assert.equal(status, 200, json.message);
  }
  const { json } = await api.call("GET", `${pods}/p`);
  const owned = (json.metadata.managedFields as { subresource?: string; fieldsV1: object }[])
    .filter(({ subresource }) => subresource !== undefined)
    .map(({ subresource, fieldsV1 }) => [subresource, fieldsV1]);
  const none = {};
  const image = {
    ".": none,
    "f:image": none,
    "f:imagePullPolicy": none,
    "f:name": none,
    "f:resources": none,
    "f:terminationMessagePath": none,
    "f:terminationMessagePolicy": none,
  };
  assert.deepEqual(Object.fromEntries(owned), {
    ephemeralcontainers: {
      "f:spec": { "f:ephemeralContainers": { ".": none, 'k:{"name":"e"}': image } },
    },
    resize: {
      "f:spec": {
        "f:containers": {
          'k:{"name":"c"}': { "f:resources": { "f:requests": { "f:cpu": none } } },
        },
      },
    },
  });
});
