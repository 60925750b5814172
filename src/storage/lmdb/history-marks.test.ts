import assert from "node:assert/strict";
import test from "node:test";
import { HistoryMarks } from "./history-marks.ts";

test("HistoryMarks drops history over the time limit", () => {
  const marks = new HistoryMarks({ historyMs: 1600, historyBytes: 1_000_000 });
  for (let time = 0; time < 1600; time += 100) marks.add(time, time / 100 + 2, 10);
  assert.equal(marks.takeOutdated(1599), 0);
  assert.equal(marks.nextOutdatedMs, 1600);
  assert.equal(marks.takeOutdated(1600), 2);
  assert.equal(marks.takeOutdated(1950), 5);
  assert.equal(marks.takeOutdated(100_000), 17);
  assert.equal(marks.nextOutdatedMs, undefined);
});

test("HistoryMarks drops history over the size limit, oldest first", () => {
  const marks = new HistoryMarks({ historyMs: 1_000_000, historyBytes: 1600 });
  for (let revision = 2; revision < 18; revision++) marks.add(0, revision, 100);
  assert.equal(marks.takeOutdated(1), 0);
  marks.add(1, 18, 250);
  assert.equal(marks.takeOutdated(1), 4);
});

test("HistoryMarks joins marks that are close together", () => {
  const marks = new HistoryMarks({ historyMs: 1600, historyBytes: 1600 });
  marks.add(0, 2, 10);
  marks.add(50, 3, 10);
  assert.equal(marks.takeOutdated(1600), 3);
});
