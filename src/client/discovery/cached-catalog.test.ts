import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { Client } from "../client.ts";
import { CachedCatalog } from "./cached-catalog.ts";

test("CachedCatalog reloads after its maximal age, for an unknown kind, and after a failure", async () => {
  await using api = await startApiServer();
  const inner = api.transport();
  let [asked, isDown] = [0, false];
  const client = new Client({
    ...inner,
    request: async (request) => {
      asked++;
      if (isDown) throw new Error("down");
      return await inner.request(request);
    },
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  });
  const clock = new FakeClock();
  const catalog = new CachedCatalog(client, clock);
  /** The number of catalogs that this work has opened: each requests /api and /apis. */
  const opened = async (work: () => Promise<unknown>): Promise<number> => {
    asked = 0;
    await work();
    return asked / 2;
  };
  const find = (kind: string) => async () =>
    assert.equal((await catalog.findKind({ apiVersion: "v1", kind }))?.kind, kind);
  assert.equal(await opened(find("Pod")), 1);
  assert.equal(await opened(find("Secret")), 0);
  const nothing = () => catalog.findKind({ apiVersion: "v1", kind: "Nothing" });
  assert.equal(await opened(nothing), 1);
  await clock.advance(31_000);
  isDown = true;
  await assert.rejects(catalog.current(), { message: "down" });
  isDown = false;
  assert.equal(await opened(find("Pod")), 1);
  assert.equal(await opened(() => catalog.current()), 0);
  assert.equal(await opened(() => catalog.refresh()), 1);
});
