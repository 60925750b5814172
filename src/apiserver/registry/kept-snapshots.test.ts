import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { KeptSnapshots } from "./kept-snapshots.ts";
import type { Snapshot } from "./watch-cache.ts";

const snapshotAt = (revision: number): Snapshot => ({ revision }) as Snapshot;
const minuteMs = 60_000;

test("KeptSnapshots keeps those that were used last", () => {
  using snapshots = new KeptSnapshots(new FakeClock());
  for (let revision = 1; revision <= 16; revision++) snapshots.keep(snapshotAt(revision));
  snapshots.keep(snapshotAt(1));
  snapshots.keep(snapshotAt(17));
  const found = [1, 2, 3, 17].map((revision) => snapshots.find(revision)?.revision);
  assert.deepEqual(found, [1, undefined, 3, 17]);
});

test("KeptSnapshots drops each after five minutes, used or not, and then stops its timer", async () => {
  const clock = new FakeClock();
  using snapshots = new KeptSnapshots(clock);
  const found = () => [1, 2].filter((revision) => snapshots.find(revision));
  snapshots.keep(snapshotAt(1));
  await clock.advance(3 * minuteMs);
  snapshots.keep(snapshotAt(2));
  snapshots.keep(snapshotAt(1));
  await clock.advance(2 * minuteMs - 1);
  assert.deepEqual(found(), [1, 2]);
  await clock.advance(1);
  assert.deepEqual(found(), [2]);
  await clock.advance(3 * minuteMs);
  assert.deepEqual([found(), clock.pendingTimers], [[], 0]);
});

test("KeptSnapshots holds nothing after disposal", () => {
  const clock = new FakeClock();
  const snapshots = new KeptSnapshots(clock);
  snapshots.keep(snapshotAt(1));
  snapshots[Symbol.dispose]();
  assert.deepEqual([snapshots.find(1), clock.pendingTimers], [undefined, 0]);
});
