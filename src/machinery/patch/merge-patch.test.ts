import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { deepEqual } from "../objects/deep-equal.ts";
import { createMergePatch } from "./create-merge-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { isJsonObject, type JsonObject } from "./values/json-value.ts";
import { PatchError } from "./values/patch-error.ts";

describe("applyMergePatch()", () => {
  const cases: readonly [document: JsonObject, patch: unknown, result: unknown][] = [
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ a: null }, { b: 1 }, { a: null, b: 1 }],
    [{}, { a: { b: { c: null } } }, { a: { b: {} } }],
    [{}, { a: [{ b: null }, null] }, { a: [{}, null] }],
    [{ a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    [{ a: 1 }, [1, { b: null }], [1, {}]],
  ];
  for (const [document, patch, result] of cases) {
    test(`${JSON.stringify(document)} + ${JSON.stringify(patch)}`, () => {
      assert.deepEqual(applyMergePatch(document, patch), result);
    });
  }
});

test("applyMergePatch() rejects a patch that is neither a map nor a list", () => {
  for (const patch of [null, 1, "x", true]) {
    assert.throws(() => applyMergePatch({}, patch), new PatchError(400, "Invalid JSON Patch"));
  }
});

test("applyMergePatch() rejects documents that are too deep", () => {
  let patch: unknown = {};
  for (let depth = 0; depth < 20_000; depth++) patch = { a: patch };
  assert.throws(() => applyMergePatch({}, patch), /exceeded max depth/);
});

test("applyMergePatch() treats prototype keys as data", () => {
  const patch = JSON.parse(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
  );
  const result = applyMergePatch({}, patch);
  assert.equal(JSON.stringify(result), JSON.stringify(patch));
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});

const json = fc.dictionary(
  fc.constantFrom("a", "b", "c", "__proto__"),
  fc.jsonValue({ maxDepth: 3 }),
  { noNullPrototype: true },
);
const options = { seed: 20260731, numRuns: 300 };

/** Whether a map of the document contains null, which no merge patch can create. */
function hasNulls(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasNulls);
  return (
    isJsonObject(value) && Object.values(value).some((part) => part === null || hasNulls(part))
  );
}

/**
 * Whether a map in a list contains null: it is kept or removed, depending on the value that the
 * list replaces.
 */
function hasListedNulls(value: unknown): boolean {
  if (Array.isArray(value)) return hasNulls(value);
  return isJsonObject(value) && Object.values(value).some(hasListedNulls);
}

test("applyMergePatch() is idempotent", () => {
  fc.assert(
    fc.property(json, json, (document, patch) => {
      fc.pre(!hasListedNulls(patch));
      const once = applyMergePatch(document, patch);
      assert.ok(deepEqual(applyMergePatch(once as JsonObject, patch), once));
    }),
    options,
  );
});

test("applyMergePatch() with the patch of createMergePatch() gives the modified document", () => {
  fc.assert(
    fc.property(json, json, (original, modified) => {
      fc.pre(!hasNulls(modified));
      const before = structuredClone(original);
      const patch = createMergePatch(original, modified);
      assert.ok(deepEqual(applyMergePatch(original, patch), modified));
      assert.deepEqual(original, before);
    }),
    options,
  );
});
