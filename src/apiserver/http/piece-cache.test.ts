import assert from "node:assert/strict";
import { test } from "node:test";
import { randomInt, seededRandom } from "#/std/base/random.ts";
import { PieceCache, type Section } from "./piece-cache.ts";

const comma = Buffer.from(",");

/** Its own buffer, as stored objects have. */
function ownBuffer(bytes: Uint8Array): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}

function pod(name: string): Buffer {
  const env = Array.from({ length: 200 }, (_, line) => `V${line * 7919}`);
  return ownBuffer(Buffer.from(JSON.stringify({ name, env })));
}

/** How many of the sections, sent one after the other, had to be compressed. */
function made(cache: PieceCache, sections: readonly Section[]): number {
  return sections.filter((section, index) => {
    const known = new Set(section.pieces.map(({ piece }) => piece));
    return !known.has(cache.deflate(section, sections[index - 1]));
  }).length;
}

test("PieceCache compresses an object once for each that it comes after", () => {
  const cache = new PieceCache();
  const [a, b, c] = ["a", "b", "c"].map((name) => cache.section(comma, pod(name)));
  assert(a && b && c);
  assert.equal(made(cache, [a, b, c]), 3);
  assert.equal(made(cache, [a, b, c]), 0);
  assert.equal(made(cache, [a, c]), 1);
  assert.equal(made(cache, [b, c]), 1); // b is first for the first time.
  assert.equal(made(cache, [a, b, c]), 0);
});

test("PieceCache knows a section again by its bytes and the text before it", () => {
  const cache = new PieceCache();
  const object = pod("a");
  const section = cache.section(comma, object);
  assert.equal(cache.section(Buffer.from(","), object.subarray()), section);
  assert.notEqual(cache.section(Buffer.from(";"), object), section);
  assert.notEqual(cache.section(comma, object.subarray(1)), section);
  assert.notEqual(cache.section(comma, Buffer.from(object)), section);
});

test("PieceCache forgets what was made first, of what takes much room all but the last", () => {
  const cache = new PieceCache();
  const random = seededRandom(1);
  const noise = ownBuffer(Uint8Array.from({ length: 3000 }, () => randomInt(random, 256)));
  const neighbours = Array.from({ length: 6 }, (_, index) => cache.section(comma, pod(`${index}`)));
  for (const [object, remembered] of [
    [pod("x"), [false, false, true, true, true, true]],
    [noise, [false, false, false, false, false, true]],
  ] as const) {
    const section = cache.section(comma, object);
    for (const neighbour of neighbours) cache.deflate(section, neighbour);
    const known = neighbours.map(({ id }) => section.pieces.some(({ after }) => after === id));
    assert.deepEqual(known, remembered);
  }
});

test("PieceCache knows an object in a list however often its metadata came with another text", () => {
  const cache = new PieceCache();
  const object = pod("a");
  const inList = cache.section(comma, object);
  for (let age = 0; age < 10; age++) cache.section(Buffer.from(`${age}s`), object.subarray(1));
  assert.equal(cache.section(comma, object), inList);
});
