import assert from "node:assert/strict";
import { test } from "node:test";
import { editDistance } from "./edit-distance.ts";

const cases: readonly (readonly [a: string, b: string, distance: number])[] = [
  ["", "", 0],
  ["up", "up", 0],
  ["", "up", 2],
  ["stauts", "status", 2],
  ["lgos", "logs", 2],
  ["imge", "image", 1],
  ["kitten", "sitting", 3],
];
for (const [a, b, distance] of cases) {
  test(`editDistance() of "${a}" and "${b}" is ${distance}, in both directions`, () => {
    assert.deepEqual([editDistance(a, b), editDistance(b, a)], [distance, distance]);
  });
}
