import assert from "node:assert/strict";
import test from "node:test";
import { CompactedError, StorageError } from "../base/storage.ts";
import { storedVersion } from "./version.ts";
import { Versions } from "./versions.ts";

/** Appends writes like `a=` (put) and `a-` (delete). */
function write(versions: Versions, ...writes: readonly string[]): void {
  for (const text of writes) {
    const key = text.slice(0, -1);
    const modRevision = versions.revision + 1;
    const previous = versions.find(key);
    const createRevision = text.endsWith("-") ? 0 : previous?.createRevision || modRevision;
    const fields = { key, modRevision, createRevision, expiresAtMs: 0 };
    versions.append({ ...storedVersion(fields), previous });
  }
}

/** The keys at a revision with the revisions of their last writes. */
const stateAt = (versions: Versions, revision: number): string[] =>
  versions.range("", revision).map((version) => `${version.key}@${version.modRevision}`);

test("Versions knows the state at every revision", () => {
  const versions = new Versions();
  write(versions, "a=", "b=", "a=", "b-", "b=");
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map((revision) => stateAt(versions, revision)),
    [[], ["a@2"], ["a@2", "b@3"], ["a@4", "b@3"], ["a@4"], ["a@4", "b@6"]],
  );
  assert.throws(() => stateAt(versions, 7), StorageError);
});

test("Versions.compact() returns the versions that are no longer visible", () => {
  const cases = [
    { to: 2, forgotten: [] },
    { to: 4, forgotten: [2] },
    { to: 5, forgotten: [2, 3, 5] },
    { to: 6, forgotten: [2, 3, 5] },
  ];
  for (const { to, forgotten } of cases) {
    const versions = new Versions();
    write(versions, "a=", "b=", "a=", "b-", "b=");
    const states = [to, 6].map((revision) => stateAt(versions, revision));
    assert.deepEqual(versions.compact(to).toSorted(), forgotten);
    assert.deepEqual(
      [to, 6].map((revision) => stateAt(versions, revision)),
      states,
    );
    assert.throws(() => stateAt(versions, to - 1), CompactedError);
    assert.deepEqual(
      versions.since(to).map((version) => version.modRevision),
      [2, 3, 4, 5, 6].filter((revision) => revision > to),
    );
  }
});

test("Versions.compact() removes a deleted key", () => {
  const versions = new Versions();
  write(versions, "a=", "a-");
  assert.deepEqual(versions.compact(3), [2, 3]);
  assert.equal(versions.find("a"), undefined);
  write(versions, "a=");
  assert.equal(versions.find("a")?.createRevision, 4);
});

test("Versions.load() returns the rest of an interrupted compaction", () => {
  const versions = new Versions(10);
  const load = (key: string, modRevision: number, createRevision: number): number[] =>
    versions.load(storedVersion({ key, modRevision, createRevision, expiresAtMs: 0 }));
  assert.deepEqual(load("a", 2, 2), []);
  assert.deepEqual(load("a", 3, 2), [2]);
  assert.deepEqual(load("b", 4, 4), []);
  assert.deepEqual(load("b", 5, 0), [4, 5]);
  assert.deepEqual(stateAt(versions, 10), ["a@3"]);
  write(versions, "c=");
  assert.deepEqual(stateAt(versions, 11), ["a@3", "c@11"]);
});
