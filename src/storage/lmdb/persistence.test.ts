import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { CompactedError, TooLargeError } from "../base/storage.ts";
import {
  bytes,
  describeEvent,
  done,
  pairs,
  put,
  text,
  WatchReader,
} from "../contract/under-test.contract.ts";
import { LmdbStorage, type LmdbStorageOptions } from "./lmdb-storage.ts";

/** A temporary directory, and stores in it. */
class TestDirectory implements AsyncDisposable {
  readonly path: string;
  readonly clock = new FakeClock();

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<TestDirectory> {
    return new TestDirectory(await mkdtemp(join(tmpdir(), "k8ts-persistence-")));
  }

  open(options: Partial<LmdbStorageOptions> = {}): Promise<LmdbStorage> {
    return LmdbStorage.open({ directory: this.path, clock: this.clock, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true });
  }
}

test("a store is the same after reopening, including history", async () => {
  await using directory = await TestDirectory.make();
  let before: unknown;
  const describe = async (storage: LmdbStorage): Promise<unknown> => {
    using watch = new WatchReader(storage, "/", 2);
    const revision = await storage.revision();
    const { entries } = await storage.range("/");
    const old = await storage.range("/", { revision: 4 });
    const events = (await watch.until(revision)).map(describeEvent);
    return { revision, entries: entries.map(String), old: pairs(old.entries), events };
  };
  {
    await using storage = await directory.open();
    for (const value of ["1", "2", "3"]) await put(storage, "/a", value);
    await put(storage, "/b", "1");
    await done(storage.delete("/b", { expect: "any" }));
    before = await describe(storage);
  }
  await using storage = await directory.open();
  assert.deepEqual(await describe(storage), before);
});

test("a watch gets the same object that was put, and so do reads while it is referenced", async () => {
  await using directory = await TestDirectory.make();
  await using storage = await directory.open();
  using watch = new WatchReader(storage, "/", await storage.revision());
  const values = [bytes("1"), bytes("2")] as const;
  await done(storage.put("/a", values[0], { expect: "any" }));
  const result = await storage.put("/a", values[1], { expect: "any" });
  const [, second] = await watch.take(2);
  assert.ok(second?.type === "put" && result.done);
  assert.equal(second.entry.value, values[1]);
  assert.equal(second.previous?.value, values[0]);
  await storage.compact(await storage.revision());
  assert.equal((await storage.get("/a")).entry?.value, values[1]);
});

test("keys with a TTL expire although the store was closed meanwhile", async () => {
  await using directory = await TestDirectory.make();
  {
    await using storage = await directory.open();
    await done(storage.put("/short", bytes("1"), { expect: "any", ttlSeconds: 10 }));
    await done(storage.put("/long", bytes("1"), { expect: "any", ttlSeconds: 100 }));
  }
  await directory.clock.advance(50_000);
  await using storage = await directory.open();
  using watch = new WatchReader(storage, "/", await storage.revision());
  await directory.clock.advance(0);
  assert.match(describeEvent((await watch.take(1))[0] ?? assert.fail()), /^delete \/short/);
  await directory.clock.advance(50_000);
  assert.match(describeEvent((await watch.take(1))[0] ?? assert.fail()), /^delete \/long/);
});

test("history is kept for its configured time", async () => {
  await using directory = await TestDirectory.make();
  await using storage = await directory.open({ historyMs: 60_000 });
  const first = await put(storage, "/a", "1");
  await put(storage, "/a", "2");
  await storage.compact(first);
  await directory.clock.advance(59_000);
  assert.equal(text((await storage.get("/a", { revision: first })).entry?.value), "1");
  await directory.clock.advance(2_000);
  const isCompacted = (): Promise<boolean> =>
    storage.get("/a", { revision: first }).then(
      () => false,
      (error) => error instanceof CompactedError,
    );
  while (!(await isCompacted())) await directory.clock.advance(1);
  assert.equal(text((await storage.get("/a")).entry?.value), "2");
});

test("history and files stay bounded under endless rewriting", async () => {
  await using directory = await TestDirectory.make();
  await using storage = await directory.open({ historyBytes: 1 << 20 });
  const first = await put(storage, "/key/0", "x");
  const value = bytes("x".repeat(1000));
  for (let start = 0; start < 40_000; start += 500) {
    const keys = Array.from({ length: 500 }, (_, index) => `/key/${index % 100}`);
    await Promise.all(keys.map((key) => storage.put(key, value, { expect: "any" })));
  }
  const { size } = await stat(join(directory.path, "data.mdb"));
  assert.ok(size < 16 << 20, `${size} bytes for 0.1 MiB of values and 1 MiB of history`);
  await assert.rejects(storage.get("/key/0", { revision: first }), CompactedError);
  const recent = (await storage.revision()) - 200;
  assert.equal((await storage.range("/key/", { revision: recent })).entries.length, 100);
});

test("two records share a page if they fit", async () => {
  await using directory = await TestDirectory.make();
  const value = bytes("x".repeat(3500));
  const [records, pageBytes] = [2000, 8192];
  {
    await using storage = await directory.open();
    for (let start = 0; start < records; start += 500) {
      const keys = Array.from({ length: 500 }, (_, index) => `/key/${start + index}`);
      await Promise.all(keys.map((key) => storage.put(key, value, { expect: "absent" })));
    }
  }
  await using storage = await directory.open();
  assert.equal((await storage.range("/key/")).entries.length, records);
  const { size } = await stat(join(directory.path, "data.mdb"));
  assert.ok(size < records * pageBytes * 0.7, `${size} bytes`);
});

test("files are accessible only to their owner", async () => {
  await using directory = await TestDirectory.make();
  await using storage = await directory.open();
  await put(storage, "/a", "1");
  for (const name of ["data.mdb", "lock.mdb", "journal.0", "journal.1"]) {
    assert.equal((await stat(join(directory.path, name))).mode & 0o077, 0, name);
  }
});

test("keys and values beyond the limits are refused", async () => {
  await using directory = await TestDirectory.make();
  await using storage = await directory.open();
  const long = `/${"k".repeat(5000)}`;
  await assert.rejects(storage.put(long, bytes("1"), { expect: "any" }), TooLargeError);
  const name = `/${"ü".repeat(1000)}`;
  await put(storage, name, "1");
  assert.equal(text((await storage.get(name)).entry?.value), "1");
});
