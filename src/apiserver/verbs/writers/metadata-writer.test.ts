import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "#/testing/start-api-server.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

for (const count of [0, 1, 3]) {
  test(`metadataWriter() lists the metadata of ${count} objects, as the objects have it`, async () => {
    await using server = await startApiServer();
    await server.call("POST", "/api/v1/namespaces", { metadata: { name: "default" } });
    for (let index = 0; index < count; index++) {
      const annotations = { a: '"},{"', b: "\\}" };
      const metadata = { name: `m-${index}`, annotations };
      await server.call("POST", maps, { metadata, data: { metadata: "{" } });
    }
    const whole = await server.call("GET", maps);
    const partial = await server.call("GET", maps, undefined, { headers: { accept } });
    assert.equal(partial.status, 200);
    assert.deepEqual(partial.json, {
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      metadata: whole.json.metadata,
      items: whole.json.items.map(({ metadata }: { metadata: object }) => ({
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata,
      })),
    });
    assert.equal(partial.json.items.length, count);
    assert.ok(partial.text.endsWith("]}\n"));
  });
}
