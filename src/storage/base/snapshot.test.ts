import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { bytes } from "../contract/under-test.contract.ts";
import { openSnapshot, type SnapshotEntry, writeSnapshot } from "./snapshot.ts";
import { CorruptError } from "./storage.ts";

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "k8ts-snapshot-"));
});
after(() => rm(directory, { recursive: true }));

const entry = (key: string, value: Uint8Array, ttlRemainingMs?: number): SnapshotEntry => ({
  key,
  value,
  modRevision: 2 ** 50,
  createRevision: 7,
  ttlRemainingMs,
});

async function read(file: string): Promise<SnapshotEntry[]> {
  const entries: SnapshotEntry[] = [];
  for await (const found of (await openSnapshot(file)).entries()) entries.push(found);
  return entries;
}

/** Entries with values as text, for comparison and printing. */
const readable = (entries: readonly SnapshotEntry[]): unknown[] =>
  entries.map((found) => ({
    ...found,
    value: createHash("sha256").update(found.value).digest("hex"),
  }));

test("openSnapshot() reads the file of writeSnapshot()", async () => {
  const file = join(directory, "all");
  const entries = [
    entry("/a", bytes("1")),
    entry("/empty", bytes(""), 5000),
    entry("/ünï/😀", new Uint8Array(3 << 20).fill(7)),
    ...Array.from({ length: 3000 }, (_, index) =>
      entry(`/many/${index}`, bytes("x".repeat(index))),
    ),
  ];
  const info = await writeSnapshot(file, { revision: 2 ** 50, entries });
  assert.deepEqual((await openSnapshot(file)).info, info);
  assert.deepEqual([info.revision, info.keys], [2 ** 50, entries.length]);
  assert.deepEqual(readable(await read(file)), readable(entries));
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test("a snapshot of an empty store is valid", async () => {
  const file = join(directory, "empty");
  assert.equal((await writeSnapshot(file, { revision: 1, entries: [] })).keys, 0);
  assert.deepEqual(await read(file), []);
});

test("a failing writeSnapshot() leaves no file, and does not touch an older one", async () => {
  const file = join(directory, "older");
  await writeSnapshot(file, { revision: 1, entries: [entry("/a", bytes("1"))] });
  async function* failing(): AsyncGenerator<SnapshotEntry> {
    yield entry("/b", bytes("2"));
    throw new Error("no more");
  }
  await assert.rejects(writeSnapshot(file, { revision: 2, entries: failing() }), {
    message: "no more",
  });
  assert.equal((await read(file))[0]?.key, "/a");
  assert.ok(!(await readdir(directory)).some((name) => name.endsWith(".partial")));
});

test("openSnapshot() refuses incomplete files", async () => {
  const file = join(directory, "damaged");
  await writeSnapshot(file, {
    revision: 5,
    entries: [entry("/a", bytes("1".repeat(100))), entry("/b", bytes("2"))],
  });
  const whole = await readFile(file);
  for (let place = 0; place < whole.length; place += 3) {
    const damaged = Buffer.from(whole);
    damaged[place] = (damaged[place] ?? 0) ^ 0x40;
    for (const content of [damaged, whole.subarray(0, place)]) {
      await writeFile(file, content);
      await assert.rejects(openSnapshot(file), CorruptError, `at ${place}`);
    }
  }
  await writeFile(file, Buffer.concat([whole, Buffer.from("x")]));
  await assert.rejects(openSnapshot(file), /something after its end/);
});

test("openSnapshot() reports a newer format", async () => {
  const file = join(directory, "newer");
  await writeSnapshot(file, { revision: 5, entries: [] });
  const content = await readFile(file);
  content.writeUInt32BE(2, 16);
  await writeFile(file, content);
  await assert.rejects(openSnapshot(file), {
    message: `snapshot ${file} can't be used: its format version is 2, this program reads 1; use another one`,
  });
});
