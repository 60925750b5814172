import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "#/std/time/clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const large = (name: string) => ({
  metadata: { name },
  data: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, "v"])),
});

test("a large request whose client goes away ends before its write", async () => {
  await using api = await startApiServer();
  const client = new AbortController();
  const { signal } = client;
  const answer = api.call("POST", maps, large("gone"), { signal }).then(
    ({ status }) => status,
    () => "aborted",
  );
  void nextTurn().then(() => client.abort());
  const harmless = await api.call("POST", maps, large("stays"));
  assert.equal(harmless.status, 201, harmless.text.slice(0, 200));
  assert.notEqual(await answer, 201);
  assert.equal((await api.call("GET", `${maps}/gone`)).status, 404);
  assert.equal((await api.call("GET", `${maps}/stays`)).status, 200);
});
