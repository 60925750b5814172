import assert from "node:assert/strict";
import { test } from "node:test";
import { countIndexes, IndexListError, overlap } from "./index-list.ts";

const counted: readonly [text: string, count: number][] = [
  ["", 0],
  ["0", 1],
  ["0,2-4", 4],
  ["0-9", 10],
];

for (const [text, count] of counted) {
  test(`countIndexes() finds ${count} in "${text}"`, () => {
    assert.equal(countIndexes(text, 10), count);
  });
}

const refused: readonly [text: string, message: string][] = [
  ["a", 'cannot convert string to integer for index: "a"'],
  ["1-b", 'cannot convert string to integer for index: "b"'],
  ["10", 'too large index: "10"'],
  ["1,1", "non-increasing order, previous: 1, current: 1"],
  ["3-2", "non-increasing order, previous: 3, current: 2"],
  [
    "1-2-3",
    `the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`,
  ],
];

for (const [text, message] of refused) {
  test(`countIndexes() refuses "${text}"`, () => {
    assert.throws(() => countIndexes(text, 10), new IndexListError(message));
  });
}

test("overlap() finds the first index that is in both lists", () => {
  assert.equal(overlap("0-2,5", "3,5-6", 10), 5);
  assert.equal(overlap("0-2", "3-4", 10), undefined);
  assert.equal(overlap("", "3", 10), undefined);
});

test("overlap() ignores intervals that cannot be parsed", () => {
  assert.equal(overlap("x,4", "y,4", 10), 4);
});
