import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCases } from "#/testing/check-cases.ts";
import { scrollToRow, visibleRows } from "./visible-rows.ts";

checkCases("visibleRows", visibleRows, [
  [
    { count: 10_000, rowHeight: 36, scrollTop: 0, height: 720 },
    { from: 0, to: 28 },
  ],
  [
    { count: 10_000, rowHeight: 36, scrollTop: 36_000, height: 720 },
    { from: 992, to: 1028 },
  ],
  [
    { count: 5, rowHeight: 36, scrollTop: 36_000, height: 720 },
    { from: 0, to: 5 },
  ],
  [
    { count: 0, rowHeight: 36, scrollTop: 0, height: 0 },
    { from: 0, to: 0 },
  ],
]);

test("scrollToRow() moves only as far as is needed", () => {
  const view = { rowHeight: 10, scrollTop: 100, height: 50 };
  assert.deepEqual(
    [5, 12, 15].map((index) => scrollToRow(index, view)),
    [50, undefined, 110],
  );
});
