import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { type Deflated, deflatePiece, joinGzip, storePiece } from "./gzip.ts";

const text = (length: number, seed: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => 97 + ((index * seed) % 23)));

const cases: readonly { name: string; pieces: readonly Buffer[] }[] = [
  { name: "nothing", pieces: [] },
  { name: "one byte", pieces: [text(1, 1)] },
  { name: "several pieces", pieces: [text(10, 3), text(70_000, 5), text(0, 1), text(131_072, 7)] },
  { name: "many small pieces", pieces: Array.from({ length: 300 }, (_, index) => text(index, 11)) },
];

for (const { name, pieces } of cases) {
  for (const [how, make] of Object.entries({ deflatePiece, storePiece })) {
    test(`joinGzip of ${name} by ${how} is a gzip stream of all of them`, () => {
      const stream = Buffer.concat(joinGzip(pieces.map(make)));
      assert.deepEqual(gunzipSync(stream), Buffer.concat(pieces));
    });
  }
}

test("joinGzip takes pieces again, in any order", () => {
  const [a, b]: [Deflated, Deflated] = [deflatePiece(text(5000, 3)), storePiece(text(7, 5))];
  const stream = Buffer.concat(joinGzip([b, a, a, b]));
  const expected = [text(7, 5), text(5000, 3), text(5000, 3), text(7, 5)];
  assert.deepEqual(gunzipSync(stream), Buffer.concat(expected));
});
