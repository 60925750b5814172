import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStorage } from "#/testing/memory-storage/memory-storage.ts";
import { moveEntries } from "./move-entries.ts";

test("moveEntries() moves entries once, and keeps those that are there", async () => {
  await using storage = new MemoryStorage();
  const put = (key: string, text: string) => storage.put(key, Buffer.from(text), { expect: "any" });
  await put("/registry/old/a", "a");
  await put("/registry/old/b", "earlier");
  await put("/registry/new/b", "later");
  await put("/registry/older/c", "c");
  assert.equal(await moveEntries(storage, "/registry/old/", "/registry/new/"), 2);
  assert.equal(await moveEntries(storage, "/registry/old/", "/registry/new/"), 0);
  const { entries } = await storage.range("/registry/");
  const found = entries.map(({ key, value }) => [key, Buffer.from(value).toString()]);
  assert.deepEqual(found, [
    ["/registry/new/a", "a"],
    ["/registry/new/b", "later"],
    ["/registry/older/c", "c"],
  ]);
});
