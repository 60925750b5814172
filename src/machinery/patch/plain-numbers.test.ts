import assert from "node:assert/strict";
import { test } from "node:test";
import { NumberLiteral } from "../codec/json/json-parser.ts";
import { plainNumbers } from "./plain-numbers.ts";

test("plainNumbers() turns literals into numbers, wherever they are", () => {
  const value = {
    a: [new NumberLiteral("1.0"), { b: new NumberLiteral("9007199254740993") }],
    c: new NumberLiteral("1e3"),
    d: "1.0",
  };
  assert.deepEqual(plainNumbers(value), { a: [1, { b: 9007199254740993n }], c: 1000, d: "1.0" });
});

test("plainNumbers() gives the very value if there is nothing to do", () => {
  const value = { a: [1, { b: null }] };
  assert.equal(plainNumbers(value), value);
});
