import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cut } from "#/machinery/codec/shape/list-pieces.ts";
import { randomInt, seededRandom } from "#/std/base/random.ts";
import { PieceCache, type Section } from "./piece-cache.ts";

const comma = [Buffer.from(",")];
const part = (source: Uint8Array, start = 0): Cut => ({ source, start, end: source.length });

function pod(name: string): Buffer {
  const env = Array.from({ length: 200 }, (_, line) => `V${line * 7919}`);
  return Buffer.from(JSON.stringify({ name, env }));
}

/** The number of sections, sent in this order, that had to be compressed. */
function made(cache: PieceCache, sections: readonly Section[]): number {
  return sections.filter((section, index) => {
    const known = new Set(section.pieces.map(({ piece }) => piece));
    return !known.has(cache.deflate(section, sections[index - 1]));
  }).length;
}

test("PieceCache compresses an object once for each predecessor", () => {
  const cache = new PieceCache();
  const [a, b, c] = ["a", "b", "c"].map((name) => cache.section(comma, part(pod(name))));
  assert(a && b && c);
  assert.equal(made(cache, [a, b, c]), 3);
  assert.equal(made(cache, [a, b, c]), 0);
  assert.equal(made(cache, [a, c]), 1);
  assert.equal(made(cache, [b, c]), 1); // b is first for the first time.
  assert.equal(made(cache, [a, b, c]), 0);
});

test("PieceCache finds a section by its bytes and the text before it", () => {
  const cache = new PieceCache();
  const object = pod("a");
  const section = cache.section(comma, part(object));
  assert.equal(cache.section([Buffer.from(",")], part(object)), section);
  for (const texts of [[], [Buffer.from(";")], [...comma, ...comma]]) {
    assert.notEqual(cache.section(texts, part(object)), section);
  }
  assert.notEqual(cache.section(comma, part(object, 1)), section);
  assert.notEqual(cache.section(comma, part(Buffer.from(object))), section);
});

test("PieceCache drops the oldest pieces; of large ones it keeps only the last", () => {
  const cache = new PieceCache();
  const random = seededRandom(1);
  const noise = Uint8Array.from({ length: 3000 }, () => randomInt(random, 256));
  const neighbours = Array.from({ length: 6 }, (_, index) =>
    cache.section(comma, part(pod(`${index}`))),
  );
  for (const [object, remembered] of [
    [pod("x"), [false, false, true, true, true, true]],
    [noise, [false, false, false, false, false, true]],
  ] as const) {
    const section = cache.section(comma, part(object));
    for (const neighbour of neighbours) cache.deflate(section, neighbour);
    const known = neighbours.map(({ id }) => section.pieces.some(({ after }) => after === id));
    assert.deepEqual(known, remembered);
  }
});

test("PieceCache finds an object in a list however often its metadata followed other texts", () => {
  const cache = new PieceCache();
  const object = pod("a");
  const inList = cache.section(comma, part(object));
  for (let age = 0; age < 10; age++) cache.section([Buffer.from(`${age}s`)], part(object, 1));
  assert.equal(cache.section(comma, part(object)), inList);
});
