import assert from "node:assert/strict";
import { test } from "node:test";
import { NumberLiteral } from "../../codec/json/json-parser.ts";
import { exceedsDepth, isJsonObject, ownValue, withKey, withoutKey } from "./json-value.ts";

test("ownValue() ignores the prototype", () => {
  assert.equal(ownValue({}, "constructor"), undefined);
  assert.equal(ownValue({}, "__proto__"), undefined);
  assert.equal(ownValue(JSON.parse('{"__proto__":1}'), "__proto__"), 1);
});

test("withKey() and withoutKey() treat __proto__ as a key", () => {
  const object = withKey({ a: 1 }, "__proto__", { b: 2 });
  assert.equal(Object.getPrototypeOf(object), Object.prototype);
  assert.equal(JSON.stringify(object), '{"a":1,"__proto__":{"b":2}}');
  assert.equal(JSON.stringify(withoutKey(object, "__proto__")), '{"a":1}');
});

test("isJsonObject() refuses lists, null and number literals", () => {
  const values = [{}, [], null, "x", new NumberLiteral("1.0")];
  assert.deepEqual(values.map(isJsonObject), [true, false, false, false, false]);
});

test("exceedsDepth() counts levels without recursion", () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  assert.equal(exceedsDepth(deep), true);
  assert.equal(exceedsDepth([[[1]]], 3), false);
  assert.equal(exceedsDepth([{ a: [1] }], 2), true);
  assert.equal(exceedsDepth("x", 0), false);
});
