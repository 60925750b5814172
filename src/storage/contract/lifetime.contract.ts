import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CorruptError, StorageError } from "../base/storage.ts";
import {
  bytes,
  type ContractContext,
  contractTest,
  describeEvent,
  done,
  type OpenStorage,
  pairs,
  put,
  text,
  WatchReader,
} from "./under-test.contract.ts";

/** TTL, health, snapshots and closing. */
export function lifetimeContract(open: OpenStorage): void {
  contractTest(open, "a key with a TTL expires", async ({ storage, prefix, under }) => {
    using watch = new WatchReader(storage, prefix, await storage.revision());
    const created = await done(
      storage.put(`${prefix}a`, bytes("1"), { expect: "absent", ttlSeconds: 2 }),
    );
    assert.equal((await storage.get(`${prefix}a`)).entry?.modRevision, created);
    await under.passTime(2_100);
    const [, gone] = await watch.take(2);
    assert.ok(gone?.type === "delete");
    assert.equal(describeEvent(gone), `delete ${prefix}a (was 1)@${gone.revision}`);
    assert.equal((await storage.get(`${prefix}a`)).entry, undefined);
  });

  contractTest(open, "a later put resets the TTL", async ({ storage, prefix, under }) => {
    const ttlSeconds = 2;
    for (const name of ["kept", "renewed"]) {
      await done(storage.put(prefix + name, bytes("1"), { expect: "absent", ttlSeconds }));
    }
    await put(storage, `${prefix}kept`, "2");
    await done(storage.put(`${prefix}renewed`, bytes("2"), { expect: "any", ttlSeconds: 3600 }));
    await done(storage.put(`${prefix}last`, bytes("1"), { expect: "any", ttlSeconds }));
    using watch = new WatchReader(storage, prefix, await storage.revision());
    await under.passTime(2_100);
    const [gone] = await watch.take(1);
    assert.equal(gone?.type === "delete" && gone.key, `${prefix}last`);
    const { entries } = await storage.range(prefix);
    assert.deepEqual(pairs(entries), [
      [`${prefix}kept`, "2"],
      [`${prefix}renewed`, "2"],
    ]);
  });

  contractTest(open, "a deleted key's TTL is dropped", async ({ storage, prefix, under }) => {
    await done(storage.put(`${prefix}a`, bytes("1"), { expect: "any", ttlSeconds: 2 }));
    await done(storage.delete(`${prefix}a`, { expect: "any" }));
    await put(storage, `${prefix}a`, "2");
    await done(storage.put(`${prefix}b`, bytes("1"), { expect: "any", ttlSeconds: 2 }));
    using watch = new WatchReader(storage, prefix, await storage.revision());
    await under.passTime(2_100);
    await watch.take(1);
    assert.deepEqual(pairs((await storage.range(prefix)).entries), [[`${prefix}a`, "2"]]);
  });

  contractTest(open, "health() and sizeBytes() answer", async ({ storage, prefix }) => {
    await put(storage, `${prefix}a`, "x".repeat(10_000));
    await storage.health();
    assert.ok((await storage.sizeBytes()) >= 10_000);
  });

  contractTest(open, "snapshot() can be restored", async (context) => {
    await using directory = await temporaryDirectory();
    await checkSnapshot(context, join(directory.path, "snapshot"));
  });

  contractTest(open, "restore refuses a damaged snapshot", async ({ storage, prefix, under }) => {
    if (!under.restore) return;
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "snapshot");
    await put(storage, `${prefix}a`, "1".repeat(1000));
    await storage.snapshot(file);
    const content = await readFile(file);
    const flipped = Buffer.from(content);
    flipped[content.length >> 1] = (flipped[content.length >> 1] ?? 0) ^ 1;
    for (const damaged of [flipped, content.subarray(0, -1), content.subarray(0, 20), bytes("")]) {
      await writeFile(file, damaged);
      await assert.rejects(under.restore(file), (error) => {
        assert.ok(error instanceof CorruptError);
        assert.match(error.message, new RegExp(file));
        return true;
      });
    }
  });

  contractTest(open, "closing settles all requests and watches", async ({ storage, prefix }) => {
    const watch = new WatchReader(storage, prefix, await storage.revision());
    const ended = watch.until(Number.MAX_SAFE_INTEGER).catch((error: unknown) => {
      assert.ok(error instanceof StorageError || error instanceof assert.AssertionError);
    });
    const writes = Array.from({ length: 50 }, (_, index) =>
      storage.put(`${prefix}${index}`, bytes("x"), { expect: "any" }),
    );
    await storage[Symbol.asyncDispose]();
    for (const outcome of await Promise.allSettled(writes)) {
      if (outcome.status === "rejected") assert.ok(outcome.reason instanceof StorageError);
      else assert.ok(outcome.value.done);
    }
    await ended;
    await assert.rejects(storage.put(`${prefix}a`, bytes("x"), { expect: "any" }), StorageError);
    await assert.rejects(storage.get(`${prefix}a`), StorageError);
    await assert.rejects(storage.health(), StorageError);
    await storage[Symbol.asyncDispose]();
  });
}

async function checkSnapshot(
  { storage, prefix, under }: ContractContext,
  file: string,
): Promise<void> {
  await put(storage, `${prefix}a`, "0");
  await put(storage, `${prefix}a`, "1");
  await done(storage.put(`${prefix}empty`, new Uint8Array(0), { expect: "any" }));
  await done(storage.put(`${prefix}ttl`, bytes("t"), { expect: "any", ttlSeconds: 100 }));
  await put(storage, `${prefix}gone`, "x");
  const revision = await done(storage.delete(`${prefix}gone`, { expect: "any" }));
  const before = await storage.range(prefix);
  const info = await storage.snapshot(file);
  assert.ok(info.revision >= revision);
  assert.ok(info.keys >= 3);
  assert.match(info.sha256, /^[0-9a-f]{64}$/);
  assert.equal(info.sizeBytes, (await stat(file)).size);
  await put(storage, `${prefix}later`, "x");
  if (!under.restore) return;

  await using restored = await under.restore(file);
  const copy = restored.storage;
  assert.ok((await copy.revision()) >= info.revision);
  assert.deepEqual(pairs((await copy.range(prefix)).entries), pairs(before.entries));
  using watch = new WatchReader(copy, prefix, await copy.revision());
  using old = new WatchReader(copy, prefix, Math.max(1, info.revision - 3));
  await assert.rejects(old.next(), StorageError);
  await restored.passTime(100_100);
  const [gone] = await watch.take(1);
  assert.equal(gone && text(gone.previous?.value), "t");
}

async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "k8ts-storage-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
