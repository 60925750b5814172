import assert from "node:assert/strict";
import { test } from "node:test";
import { pods } from "#/api/core/v1.ts";
import { schemaOf } from "../schema/kinds.ts";
import { ConstantMember, compareObjects } from "./compare.ts";
import { fieldTypeOf } from "./field-type.ts";
import { encodeFields } from "./fields-v1.ts";

const spec = { containers: [{ name: "a", image: "x" }], nodeName: "n" };
const next = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec };

const lives: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["nothing", {}],
  ["nothing, again", {}],
  ["an object without the member", { metadata: { name: "p" } }],
  ["an empty member", { spec: {} }],
  ["another value", { spec: { containers: [{ name: "b", image: "y" }], nodeName: "n" } }],
  ["null", { spec: null }],
  ["the very same value", { spec }],
];

for (const structured of [true, false]) {
  const type = fieldTypeOf(schemaOf(pods), { structured });
  const constant = new ConstantMember(spec);
  for (const [title, live] of lives) {
    test(`compareObjects gives the same result with a constant member as without it (${structured ? "structured" : "plain"}): ${title}`, () => {
      const found = compareObjects(type, live, next, constant);
      const expected = compareObjects(type, live, next);
      for (const set of ["removed", "modified", "added"] as const) {
        assert.deepEqual(encodeFields(found[set]), encodeFields(expected[set]));
      }
    });
  }
}
