import assert from "node:assert/strict";
import { test } from "node:test";
import { deepCopy } from "./deep-copy.ts";
import { deepEqual } from "./deep-equal.ts";

test("deepCopy() shares nothing with its input", () => {
  const input = { a: [{ b: 1 }, null, "x"], c: { d: true } };
  const copy = deepCopy(input);
  assert.deepEqual(copy, input);
  assert.notEqual(copy.a[0], input.a[0]);
  assert.notEqual(copy.c, input.c);
});

test("deepCopy() keeps a __proto__ key as data", () => {
  const input = JSON.parse('{"__proto__":{"polluted":1}}') as object;
  const copy = deepCopy(input);
  assert.equal(JSON.stringify(copy), '{"__proto__":{"polluted":1}}');
  assert.equal((copy as { polluted?: number }).polluted, undefined);
});

const cases: { name: string; a: unknown; b: unknown; equal: boolean }[] = [
  { name: "ignores field order", a: { x: 1, y: 2 }, b: { y: 2, x: 1 }, equal: true },
  { name: "treats undefined as absent", a: { x: undefined }, b: {}, equal: true },
  { name: "distinguishes null from absent", a: { x: null }, b: {}, equal: false },
  { name: "detects a missing field", a: { x: 1 }, b: { x: 1, y: 1 }, equal: false },
  { name: "compares list order", a: [1, 2], b: [2, 1], equal: false },
  { name: "distinguishes a list from an object", a: [], b: {}, equal: false },
];
for (const { name, a, b, equal } of cases) {
  test(`deepEqual() ${name}`, () => {
    assert.equal(deepEqual(a, b), equal);
    assert.equal(deepEqual(b, a), equal);
  });
}
