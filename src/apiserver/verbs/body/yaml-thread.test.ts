import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { test } from "node:test";
import { startApiServer } from "#/testing/start-api-server.ts";
import { parseYaml } from "./yaml-thread.ts";

const url = "/api/v1/namespaces/default/configmaps";
const yaml = { headers: { "content-type": "application/yaml" } };
const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => `  key-${index}: "value ${index}"`).join("\n");

test("readBody() reads large YAML without blocking other requests", async () => {
  await using api = await startApiServer();
  await api.call(
    "POST",
    url,
    Buffer.from(`metadata: {name: first}\ndata:\n${lines(3_000)}\n`),
    yaml,
  );
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const body = Buffer.from(`metadata: {name: large}\ndata:\n${lines(20_000)}\n`);
  const made = await api.call("POST", url, body, yaml);
  delay.disable();
  assert.equal(made.status, 201);
  assert.equal(Object.keys(made.json.data).length, 20_000);
  assert.ok(delay.max < 500e6, `the loop stood still for ${delay.max / 1e6} ms`);
});

test("readBody() reports errors in large YAML", async () => {
  await using api = await startApiServer();
  const bad = Buffer.from(`metadata: {name: bad}\ndata:\n${lines(3_000)}\n  [`);
  const refused = await api.call("POST", url, bad, yaml);
  assert.equal(refused.status, 400);
  assert.match(refused.json.message, /yaml: line /);
});

test("parseYaml() uses both threads for texts of two users that arrive together", async () => {
  const { signal } = new AbortController();
  const ended: string[] = [];
  const parse = async (owner: string, count: number): Promise<void> => {
    await parseYaml(Buffer.from(`data:\n${lines(count)}\n`), { owner, signal });
    ended.push(owner);
  };
  await Promise.all([parse("jane", 10), parse("joe", 10)]);
  ended.length = 0;
  await Promise.all([parse("jane", 20_000), parse("joe", 10)]);
  assert.deepEqual(ended, ["joe", "jane"]);
});
