import assert from "node:assert/strict";
import { test } from "node:test";
import { History, type Version, versionAt } from "./history.ts";
import { hashOfName } from "./record-hash.ts";

const of = (name: string) => ({ resource: "configmaps", namespace: "a", name, uid: `uid-${name}` });

const version = (name: string, revision: number, rest: Partial<Version> = {}): Version => ({
  key: hashOfName("configmaps", "a", name),
  of: of(name),
  revision,
  atMs: revision * 1000,
  verb: "update",
  sizeBytes: 100,
  text: () => `{"revision":${revision}}`,
  ...rest,
});

test("History keeps the newest versions of an object", () => {
  const history = new History(1 << 20);
  for (let revision = 1; revision <= 60; revision++) history.add(version("x", revision));
  const kept = history.versions(of("x")).map(({ revision }) => revision);
  assert.deepEqual([kept.length, kept[0], kept.at(-1)], [50, 11, 60]);
});

test("History drops the object that was not written to for the longest time", () => {
  const history = new History(1000);
  for (const [name, revision] of [
    ["a", 1],
    ["b", 2],
    ["a", 3],
    ["c", 4],
  ] as const) {
    history.add(version(name, revision));
  }
  assert.ok(history.sizeBytes <= 1000);
  assert.deepEqual(
    ["a", "b", "c"].map((name) => history.versions(of(name)).length),
    [0, 0, 1],
  );
});

test("History lists the newest versions of a scope", () => {
  const history = new History(1 << 20);
  for (const [name, revision] of [
    ["a", 1],
    ["b", 2],
    ["a", 3],
  ] as const) {
    history.add(version(name, revision));
  }
  const all = history.newest(() => true, 2).map(({ revision }) => revision);
  assert.deepEqual(all, [3, 2]);
  const ofA = history.newest(({ name }) => name === "a", 9).map(({ revision }) => revision);
  assert.deepEqual(ofA, [3, 1]);
});

for (const { name, at, expected } of [
  { name: "a revision", at: { revision: 3 }, expected: 3 },
  { name: "a revision between two", at: { revision: 4 }, expected: 3 },
  { name: "a time", at: { timeMs: 2500 }, expected: 1 },
  { name: "a time before all", at: { timeMs: 0 }, expected: undefined },
  { name: "a time after the deletion", at: { timeMs: 9000 }, expected: undefined },
]) {
  test(`versionAt() finds the version of ${name}`, () => {
    const versions = [version("x", 1), version("x", 3), version("x", 5, { deleted: true })];
    assert.equal(versionAt(versions, at)?.revision, expected);
  });
}
