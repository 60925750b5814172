import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "#/testing/start-api-server.ts";

const maps = "namespaces/n/configmaps";

for (const [query, names] of [
  ["", ["a", "b"]],
  ["resourceVersion=0", ["a", "b"]],
  ["resourceVersion=CURRENT", []],
  ["fieldSelector=metadata.name%3Db", ["b"]],
] as const) {
  test(`the deprecated form of a watch with "${query}" begins with ${names.length} objects, as ?watch=1 does`, async () => {
    await using api = await startApiServer();
    await api.call("POST", "/api/v1/namespaces", { metadata: { name: "n" } });
    for (const name of ["a", "b"]) {
      await api.call("POST", `/api/v1/${maps}`, { metadata: { name } });
    }
    const { json } = await api.call("GET", `/api/v1/${maps}`);
    const options = query.replace("CURRENT", json.metadata.resourceVersion);
    for (const path of [`watch/${maps}?`, `${maps}?watch=1&`]) {
      const { text } = await api.call("GET", `/api/v1/${path}${options}&timeoutSeconds=1`);
      const events = text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        events.map(({ type, object }) => `${type} ${object.metadata.name}`),
        names.map((name) => `ADDED ${name}`),
        path,
      );
    }
  });
}
