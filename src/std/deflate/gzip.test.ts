import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { type Deflated, deflatePiece, GzipStream, storePiece } from "./gzip.ts";

const text = (length: number, seed: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => 97 + ((index * seed) % 23)));

/** Decompresses as a client does. */
function read(pieces: readonly Deflated[]): Buffer {
  const stream = new GzipStream();
  for (const piece of pieces) stream.add(piece);
  return gunzipSync(Buffer.concat(stream.end()));
}

const cases: readonly { name: string; pieces: readonly Buffer[] }[] = [
  { name: "nothing", pieces: [] },
  { name: "one byte", pieces: [text(1, 1)] },
  { name: "several pieces", pieces: [text(10, 3), text(70_000, 5), text(0, 1), text(131_072, 7)] },
  { name: "many small pieces", pieces: Array.from({ length: 300 }, (_, index) => text(index, 11)) },
];

const ways = {
  deflatePiece: (bytes: Uint8Array) => deflatePiece([bytes]),
  "deflatePiece after the one before": (bytes: Uint8Array, index: number, all: readonly Buffer[]) =>
    deflatePiece([bytes], index === 0 ? [] : [all[index - 1] ?? bytes]),
  storePiece: (bytes: Uint8Array) => storePiece(bytes),
};

for (const { name, pieces } of cases) {
  for (const [how, make] of Object.entries(ways)) {
    test(`GzipStream of ${name} by ${how} is a gzip stream of all of them`, () => {
      assert.deepEqual(read(pieces.map(make)), Buffer.concat(pieces));
    });
  }
}

test("GzipStream accepts pieces repeatedly, in any order", () => {
  const [a, b]: [Deflated, Deflated] = [deflatePiece([text(5000, 3)]), storePiece(text(7, 5))];
  const expected = [text(7, 5), text(5000, 3), text(5000, 3), text(7, 5)];
  assert.deepEqual(read([b, a, a, b]), Buffer.concat(expected));
});

test("GzipStream accepts a piece repeatedly after the same bytes", () => {
  const [before, bytes, other] = [text(5000, 3), text(4000, 3), text(9000, 7)];
  const pieces = [deflatePiece([before]), deflatePiece([bytes], [before]), deflatePiece([other])];
  const [first, second, third] = pieces as [Deflated, Deflated, Deflated];
  const expected = Buffer.concat([before, bytes, other, before, bytes]);
  assert.deepEqual(read([first, second, third, first, second]), expected);
});
