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
