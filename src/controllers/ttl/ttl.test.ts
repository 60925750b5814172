import assert from "node:assert/strict";
import { test } from "node:test";
import { nodes } from "#/api/core/v1.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { ttlController } from "./ttl.ts";
import { nextStep } from "./ttl-steps.ts";

for (const [from, count, step] of [
  [0, 1, 0],
  [0, 100, 0],
  [0, 101, 1],
  [1, 95, 1],
  [1, 89, 0],
  [0, 5000, 4],
  [4, 1800, 4],
  [4, 10, 0],
] as const) {
  test(`nextStep() with ${count} nodes, coming from ${from}, is ${step}`, () => {
    assert.equal(nextStep(from, count), step);
  });
}

test("ttl-controller annotates nodes", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [ttlController]);
  const { client, until } = run;
  await client.create(nodes, { metadata: { name: "n" }, spec: {} });
  await until("it is there", async () => {
    const { annotations = {} } = (await client.get(nodes, { name: "n" })).metadata;
    return annotations["node.alpha.kubernetes.io/ttl"] === "0";
  });
});
