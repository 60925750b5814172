import assert from "node:assert/strict";
import { test } from "node:test";
import { goSyntax, goType, goValue } from "./go-value.ts";

const value = { b: [1, "x", null, 1.5], a: { c: true } };

test("goValue() prints as %v", () => {
  assert.equal(goValue(value), "map[a:map[c:true] b:[1 x <nil> 1.5]]");
});

test("goSyntax() prints as %#v", () => {
  assert.equal(
    goSyntax(value),
    'map[string]interface {}{"a":map[string]interface {}{"c":true}, "b":[]interface {}{1, "x", interface {}(nil), 1.5}}',
  );
});

test("goType() names Go's types", () => {
  assert.deepEqual([1, 1.5, "x", true, null, [], {}, 10n].map(goType), [
    "int64",
    "float64",
    "string",
    "bool",
    "<nil>",
    "[]interface {}",
    "map[string]interface {}",
    "int64",
  ]);
});
