import assert from "node:assert/strict";
import { test } from "node:test";
import {
  msUntilDue,
  outdated,
  parseSnapshotName,
  type StoredSnapshot,
  snapshotName,
} from "./schedule.ts";

const hourMs = 3600_000;
const now = Date.parse("2026-01-02T03:04:05Z");
const at = (hours: number, isScheduled = true): StoredSnapshot => {
  const createdMs = now + hours * hourMs;
  return { name: `${hours}`, sizeBytes: 1, createdMs, isScheduled };
};

test("the name of a snapshot has its time, and who made it", () => {
  const name = snapshotName("a-b", now, true);
  assert.equal(name, "a-b-2026-01-02T03-04-05Z-auto.k8ts.tar.gz");
  assert.deepEqual(parseSnapshotName(name), { name, createdMs: now, isScheduled: true });
  const own = snapshotName("a", now, false);
  assert.deepEqual(parseSnapshotName(own), { name: own, createdMs: now, isScheduled: false });
});

for (const name of [
  `x/${snapshotName("a", now, true)}`,
  "",
  "x.tar.gz",
  "a-2026-99-99T00-00-00Z.k8ts.tar.gz",
  `${snapshotName("a", now, true)}.partial`,
])
  test(`"${name}" is no name of a snapshot`, () => {
    assert.equal(parseSnapshotName(name), undefined);
  });

const due: readonly [string, readonly StoredSnapshot[], number][] = [
  ["without any", [], 0],
  ["with those of the user only", [at(-1, false)], 0],
  ["an hour after the last", [at(-5), at(-1)], 5 * hourMs],
  ["long after the last", [at(-7)], 0],
  ["after the clock was set back", [at(5)], 0],
];
for (const [title, stored, expected] of due) {
  test(`msUntilDue() ${title}`, () => {
    assert.equal(msUntilDue({ everyMs: 6 * hourMs }, stored, now), expected);
  });
}

test("outdated() keeps the newest of the schedule, and all of the user", () => {
  const stored = [at(-3), at(-1), at(-9, false), at(-2), at(-4)];
  const names = outdated({ keep: 2 }, stored).map(({ name }) => name);
  assert.deepEqual(names, ["-4", "-3"]);
  assert.deepEqual(outdated({ keep: 9 }, stored), []);
});
