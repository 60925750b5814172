import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, secrets } from "#/api/core/v1.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";

test("Feed drops old events of busy resources, which watchers then get from the store", async () => {
  const clock = new FakeClock();
  await using api = await startApiServer({ clock });
  const change = async (name: string, count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const body = { apiVersion: "v1", metadata: { name: `${name}-${n}` } };
      const { status } = await api.call("POST", `/api/v1/namespaces/default/${name}`, body);
      assert.equal(status, 201);
    }
  };
  await change("secrets", 1);
  const start = api.registry.feed.revision;
  const busy = api.registry.store(configMaps).cache;
  const quiet = api.registry.store(secrets).cache;
  await change("configmaps", 150);
  const { windowStart } = busy;
  for (let period = 0; period < 2; period++) {
    await clock.advance(80_000);
    const path = `/api/v1/namespaces/default/configmaps/configmaps-${period}`;
    assert.equal((await api.call("DELETE", path)).status, 200);
  }
  assert.ok(busy.windowStart > windowStart);
  assert.equal(busy.eventsAfter(busy.windowStart).length, 100);
  assert.ok(quiet.windowStart < start, "a quiet resource is watched without a list");
  const path = `/api/v1/configmaps?watch=true&resourceVersion=${start}&timeoutSeconds=1`;
  const watch = api.call("GET", path);
  await clock.advance(2_000);
  assert.equal((await watch).text.trim().split("\n").length, 152);
});
