import assert from "node:assert/strict";
import { test } from "node:test";
import { NumberLiteral } from "../codec/json/json-parser.ts";
import { plainNumbers } from "./plain-numbers.ts";

test("plainNumbers() converts literals to numbers at every level", () => {
  const value = {
    a: [new NumberLiteral("1.0"), { b: new NumberLiteral("9007199254740993") }],
    c: new NumberLiteral("1e3"),
    d: "1.0",
  };
  assert.deepEqual(plainNumbers(value), { a: [1, { b: 9007199254740993n }], c: 1000, d: "1.0" });
});

test("plainNumbers() returns the same value if there are no literals", () => {
  const value = { a: [1, { b: null }] };
  assert.equal(plainNumbers(value), value);
});
