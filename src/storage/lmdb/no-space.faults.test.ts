import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { until } from "#/testing/until.ts";
import { NoSpaceError } from "../base/storage.ts";
import { bytes, put, text, WatchReader } from "../contract/under-test.contract.ts";
import { LmdbStorage } from "./lmdb-storage.ts";

const skip = process.getuid?.() === 0 ? false : "mounting a small disk needs root";

test("a full disk refuses only writes", { skip }, async (t) => {
  const disk = await smallDisk(t, 16);
  await using storage = await LmdbStorage.open({ directory: join(disk, "store") });
  await put(storage, "/early", "1");
  const ballast = join(disk, "ballast");
  await writeFile(ballast, Buffer.alloc(10 << 20));

  const start = await storage.revision();
  using watch = new WatchReader(storage, "/", start);
  const written = await writeUntilFull(storage);
  assert.ok(written > 0);
  await assert.rejects(storage.health(), NoSpaceError);
  assert.equal(await storage.revision(), start + written);
  const { entries } = await storage.range("/full/");
  assert.equal(entries.length, written);
  assert.equal(text((await storage.get("/early")).entry?.value), "1");
  assert.equal((await watch.take(written)).length, written);

  await rm(ballast);
  const resumed = await put(storage, "/early", "2");
  assert.equal(resumed, start + written + 1, "refused writes leave no trace");
  assert.equal((await watch.take(1)).length, 1);
  await until("the store is healthy", async () => !(await isUnhealthy(storage)));
  await storage.health();
});

test("acknowledged writes on a full disk exist after reopening", { skip }, async (t) => {
  const directory = join(await smallDisk(t, 8), "store");
  let written = 0;
  {
    await using storage = await LmdbStorage.open({ directory });
    written = await writeUntilFull(storage);
  }
  execFileSync("mount", ["-o", "remount,size=64m", join(directory, "..")]);
  await using storage = await LmdbStorage.open({ directory });
  assert.equal((await storage.range("/full/")).entries.length, written);
  await put(storage, "/more", "1");
});

async function isUnhealthy(storage: LmdbStorage): Promise<boolean> {
  return storage.health().then(
    () => false,
    () => true,
  );
}

/** Writes until a write fails; returns the number of acknowledged writes. */
async function writeUntilFull(storage: LmdbStorage): Promise<number> {
  const value = bytes("x".repeat(20_000));
  for (let count = 0; count < 10_000; count++) {
    try {
      await storage.put(`/full/${count}`, value, { expect: "absent" });
    } catch (error) {
      assert.ok(error instanceof NoSpaceError, String(error));
      return count;
    }
  }
  return assert.fail("the disk never got full");
}

async function smallDisk(t: TestContext, sizeMiB: number): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "k8ts-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMiB}m`, "tmpfs", path]);
  t.after(async () => {
    execFileSync("umount", ["-l", path]);
    await rmdir(path);
  });
  return path;
}
