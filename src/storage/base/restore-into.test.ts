import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { MemoryStorage } from "#/testing/memory-storage/memory-storage.ts";
import { bytes, done, pairs, put } from "../contract/under-test.contract.ts";
import { restoreInto } from "./restore-into.ts";
import { CompactedError } from "./storage.ts";

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "k8ts-restore-"));
});
after(() => rm(directory, { recursive: true }));

/** A snapshot of a store with some writes. */
async function makeSnapshot(): Promise<string> {
  const file = join(directory, "snapshot");
  await using source = new MemoryStorage();
  for (let index = 0; index < 300; index++)
    await put(source, `/registry/a/${index % 10}`, `${index}`);
  await done(source.put("/registry/ttl", bytes("t"), { expect: "any", ttlSeconds: 100 }));
  await source.snapshot(file);
  return file;
}

test("restoreInto() fills an empty store and advances its revision", async () => {
  const clock = new FakeClock();
  await using target = new MemoryStorage({ clock });
  await put(target, "/other", "stays");
  const info = await restoreInto(target, await makeSnapshot());
  assert.ok((await target.revision()) >= info.revision);
  const expected = Array.from({ length: 10 }, (_, index) => [
    `/registry/a/${index}`,
    `${290 + index}`,
  ]);
  assert.deepEqual(pairs((await target.range("/registry/a/")).entries), expected);
  assert.equal((await target.range("/k8ts/")).entries.length, 0);
  await assert.rejects(target.get("/registry/a/1", { revision: 5 }), CompactedError);
  await clock.advance(100_000);
  assert.equal((await target.get("/registry/ttl")).entry, undefined);
});

test("restoreInto() refuses a store that has keys under the same roots", async () => {
  await using target = new MemoryStorage();
  await put(target, "/registry/b", "mine");
  await assert.rejects(restoreInto(target, await makeSnapshot()), {
    message: "the store already holds /registry/b; restore into an empty one",
  });
  assert.equal((await target.range("/registry/")).entries.length, 1);
});
