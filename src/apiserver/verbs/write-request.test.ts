import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps } from "#/api/core/v1.ts";
import { startApiServer } from "#/testing/start-api-server.ts";

const cases: readonly [userAgent: string, manager: string][] = [
  ["kubectl/v1.37.1 (linux/amd64)", "kubectl"],
  ["a\u200bb c/1", "ab c"],
  ["é".repeat(100), "é".repeat(64)],
];

for (const [userAgent, manager] of cases) {
  test(`a write by ${JSON.stringify(userAgent.slice(0, 20))} has the manager of that User-Agent`, async () => {
    await using api = await startApiServer();
    const client = api.client(undefined, { userAgent });
    const made = await client.create(configMaps, {
      metadata: { name: "a", namespace: "default" },
      data: { a: "b" },
    });
    assert.equal(made.metadata.managedFields?.[0]?.manager, manager);
  });
}
