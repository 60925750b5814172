import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonSteps } from "./json-steps.ts";
import { runSteps } from "./steps.ts";

const range = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const values: Readonly<Record<string, unknown>> = {
  null: null,
  text: 'a "quoted" text\n',
  number: 1.5,
  "an absent value": undefined,
  "an empty list": [],
  "an empty object": {},
  "a short list": [1, "a", null, true],
  "lists in lists": [[], [[]], [1, [2, {}], 3]],
  "an object in a list after 256 numbers": [...range(256, Number), { a: 1 }, ...range(300, Number)],
  "absent fields": { a: undefined, b: 1, c: undefined, d: { e: undefined } },
  "only absent fields": { a: undefined },
  "absent items": [undefined, 1, undefined],
  "odd keys": JSON.parse('{"__proto__": {"a": 1}, "\\u2028": "\\ud800", "": 0, "a\\"b": []}'),
  "many keys": Object.fromEntries(range(1_000, (index) => [`k${index}`, `v${index}`])),
  "keys and objects": Object.fromEntries(
    range(1_000, (index) => [`k${index}`, index % 3 === 0 ? { index } : index]),
  ),
  "256 keys and an object": {
    ...Object.fromEntries(range(256, (index) => [`k${index}`, index])),
    last: {},
  },
};

for (const [name, value] of Object.entries(values)) {
  test(`jsonSteps() writes ${name} as JSON.stringify() does`, () => {
    assert.equal(String(runSteps(jsonSteps(value))), JSON.stringify(value) ?? "null");
  });
}

test("jsonSteps() rests after each piece of a large value", () => {
  const value = { items: range(2_000, (index) => ({ name: `n${index}`, text: "x".repeat(500) })) };
  let rests = 0;
  const steps = jsonSteps(value);
  for (let next = steps.next(); !next.done; next = steps.next()) rests++;
  assert.ok(rests > 10, `${rests} rests`);
});
