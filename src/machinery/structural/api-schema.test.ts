import assert from "node:assert/strict";
import { test } from "node:test";
import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import { toApiSchema } from "./api-schema.ts";
import { buildStructuralSchema } from "./structural-schema.ts";

const fieldOf = (schema: JSONSchemaProps) =>
  toApiSchema(buildStructuralSchema({ type: "object", properties: { a: schema } })).fields.get("a");

test("toApiSchema() gives every field its shape", () => {
  const cases: [JSONSchemaProps, object][] = [
    [{ type: "string" }, { type: "string" }],
    [
      { type: "string", format: "date", enum: ["x"] },
      { type: "string", format: "date", enum: ["x"] },
    ],
    [
      { type: "integer", format: "int32", nullable: true },
      { type: "integer", format: "int32", nullable: true },
    ],
    [{ type: "boolean" }, { type: "boolean" }],
    [{ type: "number" }, { type: "number" }],
    [{ "x-kubernetes-int-or-string": true }, { type: "intOrString" }],
    [{ "x-kubernetes-preserve-unknown-fields": true }, { type: "any" }],
    [
      { type: "array", items: { type: "string" } },
      { type: "list", items: { type: "string" }, listType: "atomic" },
    ],
    [
      { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
      { type: "list", items: { type: "string" }, listType: "set", declared: true },
    ],
    [
      {
        type: "array",
        items: { type: "string" },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
      },
      { type: "list", items: { type: "string" }, listType: "map", declared: true, keys: ["k"] },
    ],
    [
      {
        type: "object",
        additionalProperties: { type: "string" },
        "x-kubernetes-map-type": "atomic",
      },
      { type: "map", values: { type: "string" }, mapType: "atomic", declared: true },
    ],
    [
      { type: "object", additionalProperties: true },
      { type: "map", values: { type: "any" }, mapType: "granular" },
    ],
    [
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      {
        type: "struct",
        unstructured: true,
        fields: new Map(),
        mapType: "granular",
        preserveUnknown: true,
      },
    ],
  ];
  for (const [schema, expected] of cases) assert.deepEqual(fieldOf(schema)?.schema, expected);
});

test("toApiSchema() keeps the other properties of fields", () => {
  const schema = toApiSchema(
    buildStructuralSchema({
      type: "object",
      required: ["a"],
      properties: { a: { type: "integer", default: 3 }, kind: { type: "string" } },
    }),
  );
  assert.deepEqual([...schema.fields.keys()], ["apiVersion", "kind", "metadata", "a"]);
  const field = {
    name: "a",
    schema: { type: "integer" },
    required: true,
    omit: "empty",
    pointer: true,
    default: 3,
  };
  assert.deepEqual(schema.fields.get("a"), field);
  const metadata = schema.fields.get("metadata")?.schema;
  assert.ok(metadata?.type === "struct" && metadata.fields.has("managedFields"));
});

test("toApiSchema() gives embedded objects their metadata", () => {
  const embedded = fieldOf({
    type: "object",
    "x-kubernetes-embedded-resource": true,
    properties: { spec: { type: "string" } },
  });
  assert.ok(embedded?.schema.type === "struct" && embedded.schema.embedded);
  assert.deepEqual([...embedded.schema.fields.keys()], ["apiVersion", "kind", "metadata", "spec"]);
});
