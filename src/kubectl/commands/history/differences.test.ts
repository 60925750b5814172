import assert from "node:assert/strict";
import { test } from "node:test";
import { differences } from "./differences.ts";

for (const { name, before, after, expected } of [
  { name: "nothing", before: { a: [1, { b: 2 }] }, after: { a: [1, { b: 2 }] }, expected: [] },
  {
    name: "a changed field",
    before: { spec: { replicas: 1, paused: true } },
    after: { spec: { replicas: 3, paused: true } },
    expected: ["-.spec.replicas: 1", "+.spec.replicas: 3"],
  },
  {
    name: "a new and a removed field",
    before: { data: { a: "1" } },
    after: { data: { b: { c: 1 } } },
    expected: ['-.data.a: "1"', '+.data.b: {"c":1}'],
  },
  {
    name: "an item of a list",
    before: { list: ["x", "y"] },
    after: { list: ["x", "z", "\x1b[2J"] },
    expected: ['-.list[1]: "y"', '+.list[1]: "z"', '+.list[2]: "\\u001b[2J"'],
  },
  { name: "an object that is gone", before: { a: 1 }, after: undefined, expected: ['-: {"a":1}'] },
]) {
  test(`differences() shows ${name}`, () => {
    assert.deepEqual(differences(before, after), expected);
  });
}
