import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { CorruptError } from "../base/storage.ts";
import { bytes } from "../contract/under-test.contract.ts";
import { groupHeaderSize, Journal, readJournal, saltSize } from "./journal.ts";
import { recordSize, writeRecord } from "./record.ts";

const salt = Buffer.alloc(saltSize, 7);

test("readJournal() finds every group, across both files", async () => {
  await using journal = await TestJournal.open();
  await journal.append(2, ["a", "b"]);
  await journal.append(4, ["c"]);
  journal.switchFile();
  await journal.append(5, ["d", "e"]);
  assert.deepEqual(await journal.read(1), ["2 a", "3 b", "4 c", "5 d", "6 e"]);
  assert.deepEqual(await journal.read(3), ["4 c", "5 d", "6 e"]);
  assert.deepEqual(await journal.read(6), []);
});

test("a file is overwritten at its next turn", async () => {
  await using journal = await TestJournal.open();
  for (let revision = 2; revision < 10; revision++) await journal.append(revision, ["old"]);
  journal.switchFile();
  await journal.append(10, ["x"]);
  journal.switchFile();
  await journal.append(11, ["new"]);
  assert.deepEqual(await journal.read(9), ["10 x", "11 new"]);
  assert.deepEqual(await journal.read(10), ["11 new"]);
});

test("groups of an earlier run are not found", async () => {
  await using journal = await TestJournal.open();
  await journal.append(2, ["a"]);
  assert.deepEqual(await readJournal(journal.directory, Buffer.alloc(saltSize, 8), 1), []);
});

test("a group that is cut off at the end is ignored", async () => {
  await using journal = await TestJournal.open();
  await journal.append(2, ["a"]);
  const whole = (await readFile(journal.file)).length;
  await journal.append(3, ["b", "c"]);
  const { length } = await readFile(journal.file);
  for (let size = length - 1; size >= whole; size -= 7) {
    await truncate(journal.file, size);
    assert.deepEqual(await journal.read(1), ["2 a"]);
  }
});

test("a damaged group between others is reported", async () => {
  await using journal = await TestJournal.open();
  await journal.append(2, ["a"]);
  const damaged = (await readFile(journal.file)).length + groupHeaderSize + 40;
  await journal.append(3, ["b".repeat(100)]);
  await journal.append(4, ["c"]);
  const content = await readFile(journal.file);
  content[damaged] = (content[damaged] ?? 0) ^ 1;
  await writeFile(journal.file, content);
  await assert.rejects(journal.read(1), CorruptError);
  await assert.rejects(journal.read(2), CorruptError);
  assert.deepEqual(await journal.read(3), ["4 c"]);
});

test("a failed append() leaves no readable group", async () => {
  const journal = await TestJournal.open();
  await journal.append(2, ["a"]);
  await journal.close();
  await assert.rejects(journal.append(3, ["b"]));
  assert.deepEqual(await journal.read(1), ["2 a"]);
  await rm(journal.directory, { recursive: true });
});

/** A journal whose records have one-word keys. */
class TestJournal implements AsyncDisposable {
  readonly directory: string;
  readonly #journal: Journal;

  private constructor(directory: string, journal: Journal) {
    this.directory = directory;
    this.#journal = journal;
  }

  static async open(): Promise<TestJournal> {
    const directory = await mkdtemp(join(tmpdir(), "k8ts-journal-"));
    return new TestJournal(directory, await Journal.open(directory, salt));
  }

  get file(): string {
    return join(this.directory, "journal.0");
  }

  async append(firstRevision: number, keys: readonly string[]): Promise<void> {
    const value = bytes("value");
    const records = keys.map((key, index) => {
      const modRevision = firstRevision + index;
      const fields = { key, modRevision, createRevision: modRevision, expiresAtMs: 0 };
      return writeRecord(Buffer.alloc(recordSize(key, value)), 0, fields, value);
    });
    await this.#journal.append(
      Buffer.concat([Buffer.alloc(groupHeaderSize), ...records]),
      firstRevision,
    );
  }

  switchFile(): void {
    this.#journal.switchFile();
  }

  async read(after: number): Promise<string[]> {
    const records = await readJournal(this.directory, salt, after);
    return records.map(({ fields }) => `${fields.modRevision} ${fields.key}`);
  }

  async close(): Promise<void> {
    await this.#journal[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await rm(this.directory, { recursive: true });
  }
}
