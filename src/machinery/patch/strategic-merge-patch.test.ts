import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Field, Schema } from "#/api/base/schema.ts";
import { deepEqual } from "../objects/deep-equal.ts";
import {
  createStrategicMergePatch,
  createThreeWayStrategicMergePatch,
} from "./create-strategic-merge-patch.ts";
import { PatchConflict } from "./patch-conflict.ts";
import { applyStrategicMergePatch } from "./strategic-merge-patch.ts";
import type { JsonObject } from "./values/json-value.ts";

const text: Schema = { type: "string" };

function field(name: string, schema: Schema, patch: Partial<Field> = {}): Field {
  return { name, schema, required: false, omit: "empty", pointer: false, ...patch };
}

const struct = (name: string, ...fields: Field[]): Schema => ({
  type: "struct",
  name: `test.${name}`,
  fields: new Map(fields.map((one) => [one.name, one])),
  mapType: "granular",
});

const merged = { patchStrategy: "merge", patchMergeKey: "name" };
const item = struct(
  "Item",
  field("name", text),
  field("value", text),
  field("tags", { type: "list", items: text, listType: "atomic" }, { patchStrategy: "merge" }),
);
const schema = struct(
  "Root",
  field("items", { type: "list", items: item, listType: "atomic" }, merged),
  field("union", struct("Union", field("a", text), field("b", text)), {
    patchStrategy: "retainKeys",
  }),
  field("replaced", struct("Replaced", field("a", text), field("b", text)), {
    patchStrategy: "replace",
  }),
  field("labels", { type: "map", values: text, mapType: "granular" }),
  field("plain", { type: "list", items: text, listType: "atomic" }),
);

test("applyStrategicMergePatch() does not change document and patch", () => {
  const document = { items: [{ name: "a", tags: ["x", "y"] }, { name: "b" }], labels: { l: "1" } };
  const patch = {
    "$setElementOrder/items": [{ name: "c" }, { name: "a" }],
    items: [
      { name: "c", value: "1" },
      { name: "a", "$deleteFromPrimitiveList/tags": ["x"] },
      { name: "b", $patch: "delete" },
    ],
  };
  const before = structuredClone({ document, patch });
  assert.deepEqual(applyStrategicMergePatch(schema, document, patch), {
    items: [
      { name: "c", value: "1" },
      { name: "a", tags: ["y"] },
    ],
    labels: { l: "1" },
  });
  assert.deepEqual({ document, patch }, before);
});

test("applyStrategicMergePatch() treats prototype keys as data", () => {
  const patch = JSON.parse('{"labels":{"__proto__":"p","constructor":"c"}}');
  const result = applyStrategicMergePatch(schema, { labels: { l: "1" } }, patch);
  assert.equal(JSON.stringify(result), '{"labels":{"l":"1","__proto__":"p","constructor":"c"}}');
});

test("applyStrategicMergePatch() rejects documents that are too deep", () => {
  let patch: unknown = {};
  for (let depth = 0; depth < 20_000; depth++) patch = { a: patch };
  assert.throws(() => applyStrategicMergePatch(schema, {}, patch), /exceeded max depth/);
});

const key = fc.constantFrom("a", "b", "c", "d");
const value = fc.constantFrom("1", "2");
const some = (of: fc.Arbitrary<string>) => fc.uniqueArray(of, { maxLength: 4 });
const document: fc.Arbitrary<JsonObject> = fc.record(
  {
    items: fc.uniqueArray(
      fc.record({ name: key, value, tags: some(key) }, { requiredKeys: ["name"] }),
      { maxLength: 4, selector: ({ name }) => name },
    ),
    union: fc.record({ a: value, b: value }, { requiredKeys: [] }),
    replaced: fc.record({ a: value, b: value }, { requiredKeys: [] }),
    labels: fc.dictionary(fc.constantFrom("a", "b", "__proto__"), value, { noNullPrototype: true }),
    plain: some(key),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const options = { seed: 20260731, numRuns: 500 };

/**
 * A document without parts that a patch may or may not leave behind: empty maps and lists, and
 * directives in new maps.
 */
function compact(of: unknown): unknown {
  if (Array.isArray(of)) return of.map(compact);
  if (typeof of !== "object" || of === null) return of;
  const entries = Object.entries(of).map(([name, part]) => [name, compact(part)] as const);
  const isEmpty = (part: unknown) =>
    typeof part === "object" && part !== null && Object.keys(part).length === 0;
  return Object.fromEntries(
    entries.filter(([name, part]) => !isEmpty(part) && !name.startsWith("$")),
  );
}

test("createStrategicMergePatch() makes a patch that gives the modified document", () => {
  fc.assert(
    fc.property(document, document, (original, modified) => {
      const patch = createStrategicMergePatch(schema, { original, modified });
      const result = applyStrategicMergePatch(schema, original, patch);
      assert.deepEqual(compact(result), compact(modified));
    }),
    options,
  );
});

test("createThreeWayStrategicMergePatch() gives the modified document if there were no other writes", () => {
  fc.assert(
    fc.property(document, document, (current, modified) => {
      const documents = { original: current, modified, current };
      const patch = createThreeWayStrategicMergePatch(schema, documents, { overwrite: true });
      const result = applyStrategicMergePatch(schema, current, patch);
      assert.deepEqual(compact(result), compact(modified));
    }),
    options,
  );
});

test("createThreeWayStrategicMergePatch() is empty after it was applied", () => {
  fc.assert(
    fc.property(document, document, document, (original, modified, current) => {
      const create = (live: JsonObject, last: JsonObject) =>
        createThreeWayStrategicMergePatch(
          schema,
          { original: last, modified, current: live },
          { overwrite: true },
        );
      const once = applyStrategicMergePatch(schema, current, create(current, original));
      const twice = applyStrategicMergePatch(schema, once, create(once, modified));
      assert.ok(deepEqual(compact(twice), compact(once)));
    }),
    options,
  );
});

test("createThreeWayStrategicMergePatch() detects changes of others, unless it may overwrite", () => {
  const documents = {
    original: { labels: { a: "1" } },
    modified: { labels: { a: "2" } },
    current: { labels: { a: "3" } },
  };
  assert.throws(
    () => createThreeWayStrategicMergePatch(schema, documents, { overwrite: false }),
    PatchConflict,
  );
  const patch = createThreeWayStrategicMergePatch(schema, documents, { overwrite: true });
  assert.deepEqual(patch, { labels: { a: "2" } });
  const unrelated = { ...documents, current: { labels: { a: "1", b: "2" } } };
  assert.doesNotThrow(() =>
    createThreeWayStrategicMergePatch(schema, unrelated, { overwrite: false }),
  );
});

test("applyStrategicMergePatch() merges each null merge key with the first item that has one", () => {
  const nulls = Array.from({ length: 4 }, (_, index) => ({ name: null, value: `${index}` }));
  const items = [{ name: "a" }, { name: null, value: "x" }];
  assert.throws(() => applyStrategicMergePatch(schema, { items }, { items: nulls.slice(0, 1) }), {
    message: "map: map[value:0] does not contain declared merge key: name",
  });
  assert.throws(() => applyStrategicMergePatch(schema, { items }, { items: nulls }), {
    message: "map: map[value:0] does not contain declared merge key: name",
  });
});

test("applyStrategicMergePatch() takes linear time for merge keys that are null", () => {
  const run = (count: number): void => {
    const items = Array.from({ length: count }, (_, index) => ({ name: `${index}` }));
    const nulls = Array.from({ length: count }, () => ({ name: null }));
    assert.throws(() => applyStrategicMergePatch(schema, { items }, { items: nulls }));
  };
  const cpuMs = (times: number, count: number): number => {
    const before = process.threadCpuUsage();
    for (let left = times; left > 0; left--) run(count);
    return process.threadCpuUsage(before).user / 1000;
  };
  cpuMs(4, 500);
  const small = cpuMs(16, 1_000);
  const large = cpuMs(1, 16_000);
  assert.ok(large < 6 * small, `16 × 1,000 take ${small} ms, 1 × 16,000 takes ${large} ms`);
});
