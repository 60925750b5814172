import assert from "node:assert/strict";
import { test } from "node:test";
import { formatType } from "../type/cel-type.ts";
import { declareSchema } from "./decl-type.ts";
import type { JsonSchema } from "./json-schema.ts";

/**
 * Type, maximum of elements, minimum size in JSON; undefined if expressions cannot access the
 * values.
 */
type Bounds = readonly [type: string, maxElements: number, minSize: number] | undefined;

const text: JsonSchema = { type: "string" };

const schemas: readonly (readonly [schema: JsonSchema, bounds: Bounds])[] = [
  [{ type: "boolean" }, ["bool", 0, 4]],
  [{ type: "integer" }, ["int", 0, 1]],
  [{ type: "number" }, ["double", 0, 1]],
  [text, ["string", 3145726, 2]],
  [{ type: "string", maxLength: 10 }, ["string", 40, 2]],
  [{ type: "string", maxLength: -1 }, ["string", 0, 2]],
  [{ type: "string", enum: ["a", "bcd", 1] }, ["string", 3, 2]],
  [{ type: "string", format: "byte", maxLength: 10 }, ["bytes", 10, 2]],
  [{ type: "string", format: "duration" }, ["duration", 32, 3]],
  [{ type: "string", format: "date" }, ["timestamp", 12, 12]],
  [{ type: "string", format: "date-time" }, ["timestamp", 32, 21]],
  [{ type: "string", format: "hostname" }, ["string", 3145726, 2]],
  [{ "x-kubernetes-int-or-string": true }, ["dyn", 3145726, 1]],
  [{ "x-kubernetes-int-or-string": true, maxLength: 3 }, ["dyn", 12, 1]],
  [{ "x-kubernetes-preserve-unknown-fields": true }, undefined],
  [{ type: "array", items: text, maxItems: 7 }, ["list(string)", 7, 2]],
  [{ type: "array", items: text }, ["list(string)", 1048575, 2]],
  [{ type: "array" }, undefined],
  [{ type: "array", items: {} }, undefined],
  [{ type: "object", additionalProperties: text }, ["map(string, string)", 393215, 2]],
  [{ type: "object", additionalProperties: text, maxProperties: 5 }, ["map(string, string)", 5, 2]],
  [{ type: "object", properties: { a: text } }, ["T", 0, 2]],
  [{ type: "object", properties: { ab: text }, required: ["ab"] }, ["T", 0, 10]],
  [
    { type: "object", properties: { ab: { type: "string", default: "x" } }, required: ["ab"] },
    ["T", 0, 2],
  ],
];

test("declareSchema() limits the sizes of values", () => {
  for (const [schema, bounds] of schemas) {
    const decl = declareSchema(schema, { typeName: "T" });
    const actual = decl && [formatType(decl.type), decl.maxElements, decl.minSerializedSize];
    assert.deepEqual(actual, bounds, JSON.stringify(schema));
  }
});

test("declareSchema() names fields as expressions do, and omits inaccessible fields", () => {
  const properties = { "a-b": text, namespace: text, "1": text, any: {} };
  const decl = declareSchema({ type: "object", properties }, { typeName: "T" });
  assert.deepEqual([...(decl?.fields?.keys() ?? [])], ["a__dash__b", "__namespace__"]);
});

test("declareSchema() gives a whole resource its name and kind", () => {
  const decl = declareSchema({ type: "object" }, { typeName: "T", isRoot: true });
  assert.deepEqual([...(decl?.fields?.keys() ?? [])], ["kind", "apiVersion", "metadata"]);
  const metadata = decl?.fields?.get("metadata")?.fields;
  assert.equal(metadata?.get("name")?.maxElements, 253 * 4);
  assert.equal(metadata?.get("generateName")?.maxElements, 252 * 4);
});
