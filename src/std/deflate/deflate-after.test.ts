import assert from "node:assert/strict";
import { test } from "node:test";
import { constants, inflateRawSync } from "node:zlib";
import { type Random, randomInt, seededRandom } from "../base/random.ts";
import { deflateAfter } from "./deflate-after.ts";

/** Decompresses with the bytes before as dictionary; undefined if deflateAfter() declined. */
function readBack(
  before: readonly Uint8Array[],
  chunks: readonly Uint8Array[],
): Buffer | undefined {
  const blocks = deflateAfter(before, chunks);
  if (!blocks) return undefined;
  const dictionary = Buffer.concat(before).subarray(-32 * 1024);
  // The stream has no last block here, which is fine.
  return inflateRawSync(blocks, { dictionary, finishFlush: constants.Z_SYNC_FLUSH });
}

function noise(random: Random, length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, () => randomInt(random, 256)));
}

/** The same bytes with some replaced, removed, inserted or moved. */
function alter(random: Random, bytes: Buffer, changes: number): Buffer {
  let altered = bytes;
  for (let change = 0; change < changes; change++) {
    const at = randomInt(random, altered.length + 1);
    const skipped = randomInt(random, 40);
    const added = noise(random, randomInt(random, 40));
    const from = randomInt(random, altered.length + 1);
    const moved = altered.subarray(from, from + (randomInt(random, 8) === 0 ? 2000 : 0));
    altered = Buffer.concat([
      altered.subarray(0, at),
      added,
      moved,
      altered.subarray(at + skipped),
    ]);
  }
  return altered;
}

const random = seededRandom(7);
const object = noise(random, 13_000);
const huge = noise(random, 200_000);
const far = noise(random, 40_000);

const alike: readonly { name: string; before: readonly Buffer[]; chunks: readonly Buffer[] }[] = [
  { name: "the same bytes", before: [object], chunks: [object] },
  { name: "the same bytes in other chunks", before: cut(object, 999), chunks: cut(object, 1234) },
  { name: "a few changes", before: [object], chunks: [alter(random, object, 10)] },
  { name: "a whole window", before: [far], chunks: [far.subarray(-32_768)] },
  { name: "one byte many times", before: [], chunks: [Buffer.alloc(100_000, 7)] },
  { name: "a huge object that repeats itself", before: [object], chunks: repeated(object, 20) },
  { name: "the longest allowed", before: [], chunks: [Buffer.alloc(512 * 1024)] },
];

function cut(bytes: Buffer, size: number): Buffer[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * size).subarray(0, size),
  );
}

function repeated(bytes: Buffer, times: number): Buffer[] {
  return Array.from({ length: times }, () => bytes);
}

for (const { name, before, chunks } of alike) {
  test(`deflateAfter makes ${name} much smaller`, () => {
    assert(readBack(before, chunks)?.equals(Buffer.concat(chunks)));
    const size = deflateAfter(before, chunks)?.length ?? Number.POSITIVE_INFINITY;
    assert(size < Buffer.concat(chunks).length / 8 + 16);
  });
}

const others: typeof alike = [
  { name: "noise", before: [object], chunks: [huge] },
  { name: "bytes outside the window", before: [far], chunks: [far.subarray(0, 7_000)] },
  { name: "few bytes", before: [], chunks: [Buffer.from("{}")] },
  { name: "more than the limit", before: [], chunks: [Buffer.alloc(512 * 1024 + 1)] },
];

for (const { name, before, chunks } of others) {
  test(`deflateAfter declines ${name}`, () => {
    assert.equal(deflateAfter(before, chunks), undefined);
  });
}

test("deflateAfter returns an empty block for no input", () => {
  assert.deepEqual(readBack([object], []), Buffer.alloc(0));
});

test("deflateAfter output decompresses to its input, for random inputs", () => {
  const own = seededRandom(11);
  let written = 0;
  for (let round = 0; round < 400; round++) {
    const before = round % 5 === 0 ? cutAnyhow(own, alter(own, object, 3)) : [anything(own)];
    const bytes = alter(own, Buffer.concat(before), randomInt(own, 6));
    const back = readBack(before, cutAnyhow(own, bytes));
    if (back) written++;
    assert(!back || back.equals(bytes), `round ${round}`);
  }
  assert(written > 100, `${written} were written`);
});

/** Few or many different bytes, in sizes near the limits. */
function anything(random: Random): Buffer {
  const sizes = [0, 1, 3, 4, 5, 257, 258, 259, 260, 261, 262, 516, 4_000, 32_767, 32_768, 33_000];
  const length = sizes[randomInt(random, sizes.length)] ?? 0;
  const kinds = [1, 2, 256][randomInt(random, 3)] ?? 1;
  return Buffer.from(Uint8Array.from({ length }, () => randomInt(random, kinds) * 17));
}

function cutAnyhow(random: Random, bytes: Buffer): Buffer[] {
  return cut(bytes, 1 + randomInt(random, bytes.length + 1));
}
