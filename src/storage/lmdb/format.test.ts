import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { formatVersion, pendingMigrations } from "./format.ts";
import { LmdbStorage } from "./lmdb-storage.ts";
import { Tree } from "./tree.ts";

test("pendingMigrations() returns the steps from an older format", () => {
  const steps = ["1 to 2", "2 to 3", "3 to 4"];
  assert.deepEqual(pendingMigrations("dir", 1, steps), steps);
  assert.deepEqual(pendingMigrations("dir", 3, steps), ["3 to 4"]);
  assert.deepEqual(pendingMigrations("dir", 4, steps), []);
  assert.throws(() => pendingMigrations("dir", 5, steps), {
    message: "the store in dir has format 5, this program knows up to 4; use a newer k8ts",
  });
});

test("a store of a newer format is refused and not changed", async () => {
  const directory = await mkdtemp(join(tmpdir(), "k8ts-format-"));
  await (await LmdbStorage.open({ directory }))[Symbol.asyncDispose]();
  {
    await using tree = await Tree.open(directory);
    await tree.commit({ put: [], drop: [], state: { ...tree.state, format: formatVersion + 1 } });
  }
  for (let attempt = 0; attempt < 2; attempt++) {
    await assert.rejects(LmdbStorage.open({ directory }), {
      name: "StorageError",
      message: `the store in ${directory} has format ${formatVersion + 1}, this program knows up to ${formatVersion}; use a newer k8ts`,
    });
  }
  await rm(directory, { recursive: true });
});
