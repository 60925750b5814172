import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { excludeFields } from "./field-filter.ts";
import { emptyFieldSet, FieldSet } from "./field-set.ts";
import { decodeFields, encodeFields } from "./fields-v1.ts";
import { printElement } from "./path-element.ts";

/** A set from paths such as "a.b". */
const set = (...paths: string[]): FieldSet =>
  FieldSet.of(...paths.map((path) => path.split(".").map((name) => `f:${name}`)));

/** The paths of a set in the same form. */
const paths = (of: FieldSet): string[] =>
  [...of.paths()].map((path) => path.map(printElement).join("").slice(1));

describe("FieldSet", () => {
  const cases: readonly [name: string, actual: FieldSet, expected: string[]][] = [
    ["union joins", set("a", "b.c").union(set("b", "b.d")), ["a", "b", "b.c", "b.d"]],
    [
      "intersection keeps what both have",
      set("a", "b.c", "d").intersection(set("b", "b.c", "d")),
      ["d", "b.c"],
    ],
    ["difference of a parent leaves the child", set("a", "a.b").difference(set("a")), ["a.b"]],
    ["difference of a child leaves the parent", set("a", "a.b").difference(set("a.b")), ["a"]],
    [
      "recursive difference takes the child along",
      set("a", "a.b", "c").recursiveDifference(set("a")),
      ["c"],
    ],
    [
      "recursive difference of a child leaves the parent",
      set("a", "a.b").recursiveDifference(set("a.b")),
      ["a"],
    ],
    [
      "paths lists a level before what is below",
      set("b.a", "c", "a.z", "a"),
      ["a", "c", "a.z", "b.a"],
    ],
  ];
  for (const [name, actual, expected] of cases) {
    test(name, () => assert.deepEqual(paths(actual), expected));
  }

  test("has() is true for members only", () => {
    const fields = set("a.b");
    assert.equal(fields.has(["f:a", "f:b"]), true);
    assert.equal(fields.has(["f:a"]), false);
    assert.equal(fields.has([]), false);
  });

  test("operations that change nothing return the same instance", () => {
    const fields = set("a.b", "c");
    assert.equal(fields.union(set("c")), fields);
    assert.equal(fields.difference(set("a", "x.y")), fields);
    assert.equal(fields.intersection(fields), fields);
    assert.equal(fields.recursiveDifference(set("a.x")), fields);
  });
});

test("decodeFields() and encodeFields() are inverse in any order", () => {
  const fields = { "f:b": { ".": {}, "f:c": {} }, "f:a": {}, 'k:{"b":1,"a":2}': { "f:d": {} } };
  const written = { "f:a": {}, "f:b": { ".": {}, "f:c": {} }, 'k:{"a":2,"b":1}': { "f:d": {} } };
  assert.equal(JSON.stringify(encodeFields(decodeFields(fields))), JSON.stringify(written));
});

test("decodeFields() reads a field with unknown path elements as a member, and null as empty", () => {
  assert.deepEqual(paths(decodeFields({ "f:a": { "r:x": {} }, "f:b": null })), ["a", "b"]);
  assert.equal(decodeFields(null).isEmpty, true);
  assert.equal(decodeFields({}).isEmpty, true);
});

test("decodeFields() refuses what is malformed", () => {
  for (const fields of [1, [], { x: {} }, { "f:a": 1 }, { "f:a": { "k:{": {} } }]) {
    assert.throws(() => decodeFields(fields), SyntaxError);
  }
});

test("excludeFields() filters", () => {
  const fields = set(
    "spec.a",
    "spec.list.x.keep",
    "spec.list.x.drop",
    "spec.list.y.keep",
    "status.b",
  );
  assert.deepEqual(paths(excludeFields(["status"], ["spec", "a"])(fields)), [
    "spec.list.x.drop",
    "spec.list.x.keep",
    "spec.list.y.keep",
  ]);
});

const name = fc.constantFrom("a", "b", "c");
const arbitrarySet = fc
  .array(fc.array(name, { minLength: 1, maxLength: 3 }), { maxLength: 8 })
  .map((list) => set(...list.map((path) => path.join("."))));
const options = { seed: 20260731, numRuns: 300 };

test("FieldSet agrees with sets of paths", () => {
  fc.assert(
    fc.property(arbitrarySet, arbitrarySet, (left, right) => {
      const [a, b] = [new Set(paths(left)), new Set(paths(right))];
      assert.deepEqual(new Set(paths(left.union(right))), a.union(b));
      assert.deepEqual(new Set(paths(left.intersection(right))), a.intersection(b));
      assert.deepEqual(new Set(paths(left.difference(right))), a.difference(b));
      assert.equal(left.difference(left).isEmpty, true);
      assert.deepEqual(paths(decodeFields(structuredClone(encodeFields(left)))), paths(left));
    }),
    options,
  );
});

test("the empty set is neutral", () => {
  fc.assert(
    fc.property(arbitrarySet, (fields) => {
      assert.equal(fields.union(emptyFieldSet), fields);
      assert.equal(emptyFieldSet.union(fields), fields);
      assert.equal(fields.difference(emptyFieldSet), fields);
      assert.equal(fields.intersection(emptyFieldSet).isEmpty, true);
    }),
    options,
  );
});
