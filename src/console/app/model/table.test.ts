import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesWords, rowsOf, sortRows, wordsOf } from "./table.ts";

const row = (name: string, cells: readonly unknown[], labels = {}) => ({
  cells: [name, ...cells],
  object: { metadata: { name, namespace: "a", uid: name, labels } },
});

test("rows are found by cells, labels and namespace, and sorted as ages, numbers and texts", () => {
  const rows = rowsOf({
    metadata: {},
    rows: [
      row("b", ["3m", 10, null]),
      row("c", ["2h5m", 9, { x: 1 }], { app: "Web" }),
      row("a", ["50s", 100, ""]),
    ],
  });
  const sorted = (by: number, descending = false) =>
    sortRows(rows, { by, descending })
      .map(({ name }) => name)
      .join("");
  assert.deepEqual(
    [sorted(0), sorted(1), sorted(2), sorted(2, true)],
    ["abc", "abc", "cba", "abc"],
  );
  const found = (filter: string) =>
    rows
      .filter((one) => matchesWords(one, wordsOf(filter)))
      .map(({ name }) => name)
      .join("");
  assert.deepEqual([found("app=web"), found("-2h5m A"), found("nothing")], ["c", "ba", ""]);
  assert.deepEqual(rows[1]?.cells, ["c", "2h5m", "9", '{"x":1}']);
});
