import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { goSort } from "./go-sort.ts";

/** Lists by length and shape, with a digest of their order after Go 1.26's sort.Sort. */
const recorded = JSON.parse(
  readFileSync(new URL("recorded/sort.json", import.meta.url), "utf8"),
) as readonly (readonly [length: number, shape: string, digest: string])[];

const shapes: Readonly<Record<string, (at: number, random: number, length: number) => number>> = {
  equal: () => 7,
  rising: (at) => Math.floor(at / 3),
  falling: (at, _, length) => Math.floor((length - at) / 3),
  few: (_, random) => random % 4,
  many: (_, random, length) => random % length,
  // Negative numbers are missing values: each is less than the other.
  missing: (_, random) => (random % 5) - 1,
  saw: (at) => at % 17,
  nearly: (at, random, length) => (random % 16 === 0 ? random % length : at),
};

function keysOf(length: number, shape: string): number[] {
  let state = length;
  return Array.from({ length }, (_, at) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return shapes[shape]?.(at, state >>> 8, length) ?? 0;
  });
}

for (const [length, shape, digest] of recorded) {
  test(`goSort() orders ${length} items, ${shape}, as Go does`, () => {
    const keys = keysOf(length, shape);
    const isLess = (a: number, b: number): boolean => {
      const [x = 0, y = 0] = [keys[a], keys[b]];
      return x < 0 || (y >= 0 && x < y);
    };
    const order = goSort([...keys.keys()], isLess);
    const found = createHash("sha256").update(order.join(",")).digest("hex");
    assert.equal(found.slice(0, 16), digest);
  });
}
