import assert from "node:assert/strict";
import { test } from "node:test";
import { memberPlace } from "#/machinery/codec/json/json-scan.ts";
import { RecurringPart } from "./recurring-part.ts";
import { ownCopy, readShared } from "./shared.ts";

const texts: readonly (readonly [title: string, text: string, part: string | undefined])[] = [
  ["between others", '{"kind":"Pod","spec":{"a":1},"status":{}}', '{"a":1}'],
  ["at the end", '{"kind":"Pod","spec":{"a":[1,{}]}}', '{"a":[1,{}]}'],
  ["with space around", '{ "spec" : {"a":1}\n, "kind":"Pod" }', ' {"a":1}\n'],
  ["that is no object", '{"spec":"x","kind":"Pod"}', '"x"'],
  ["not those further in", '{"metadata":{"spec":{"a":1}},"kind":"Pod"}', undefined],
  ["not text that looks like it", '{"kind":"\\"spec\\":{}","x":"spec"}', undefined],
  ["with braces and quotes in text", '{"spec":{"a":"}\\"{,"},"b":1}', '{"a":"}\\"{,"}'],
  ["not a longer name", '{"specs":{"a":1},"aspec":{}}', undefined],
  ["not one of several", '{"spec":{"a":1},"kind":"Pod","spec":{}}', undefined],
  ["not in a list", '[{"spec":{"a":1}}]', undefined],
  ["not in an incomplete text", '{"spec":{"a":1', undefined],
  ["nothing in nothing", "", undefined],
];

for (const [title, text, part] of texts) {
  test(`memberPlace finds a member ${title}`, () => {
    const place = memberPlace(Buffer.from(text), "spec");
    assert.equal(place && text.slice(place.start, place.end), part);
  });
}

const body = (name: string, image: string): Buffer =>
  Buffer.from(JSON.stringify({ metadata: { name }, spec: { image, pad: "x".repeat(600) } }));

test("RecurringPart knows a part from the third time on, whatever the rest of the body", () => {
  const part = new RecurringPart("spec");
  const value = { image: "a", defaulted: true };
  for (const name of ["first", "second"]) {
    const found = part.find(body(name, "a"));
    assert.equal(found?.known, undefined);
    found?.remember(value);
  }
  const found = part.find(body("third", "a"));
  assert.deepEqual(found?.known?.value, value);
  assert.notEqual(found?.known?.value, value, "what was given is the giver's");
  assert.deepEqual(JSON.parse(Buffer.from(found?.rest() ?? []).toString()), {
    metadata: { name: "third" },
    spec: null,
  });
  assert.equal(part.find(body("third", "b"))?.known, undefined);
});

test("RecurringPart ignores small and very large parts", () => {
  const part = new RecurringPart("spec");
  for (const size of [10, 20_000]) {
    assert.equal(part.find(Buffer.from(JSON.stringify({ spec: "x".repeat(size) }))), undefined);
  }
});

test("ownCopy returns a copy that may be changed", () => {
  const part = new RecurringPart("spec");
  const mine = { list: [{ a: 1 }] };
  for (let time = 0; time < 2; time++) part.find(body("x", "a"))?.remember(mine);
  const known = part.find(body("x", "a"))?.known;
  assert.ok(known);
  const own = ownCopy(known.value) as typeof mine;
  own.list.push({ a: 2 });
  const again = part.find(body("y", "a"))?.known;
  assert.deepEqual(again && readShared(again.value), { list: [{ a: 1 }] });
});
