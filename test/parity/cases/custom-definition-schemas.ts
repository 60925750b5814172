import type { Case } from "../case.ts";
import {
  crd,
  type Json,
  object,
  schemaOf,
  text,
  tried,
  version,
} from "./custom-definition-bodies.ts";

const withSchema = (name: string, spec: Json, more: Json = {}): Case =>
  tried(name, crd({ versions: [version({ schema: schemaOf(spec, more) })] }));

const withVersion = (name: string, more: Json): Case =>
  tried(name, crd({ versions: [version(more)] }));

const list = (items: Json, more: Json = {}): Json => ({ type: "array", items, ...more });

export const schemas: readonly Case[] = [
  withSchema("no type", {}),
  withSchema("unknown type", { type: "text" }),
  withSchema("type null", object({ a: { type: "null" } })),
  withSchema("array without items", object({ a: { type: "array" } })),
  withSchema("items list", object({ a: { type: "array", items: [text] } })),
  withSchema("ref", object({ a: { $ref: "#/x" } })),
  withSchema("id", object({ a: { type: "string", id: "x" } })),
  withSchema("definitions", object({}, { definitions: { x: text } })),
  withSchema("pattern properties", object({}, { patternProperties: { x: text } })),
  withSchema("dependencies", object({}, { dependencies: { x: ["y"] } })),
  withSchema("additional items", object({ a: list(text, { additionalItems: true }) })),
  withSchema("unique items", object({ a: list(text, { uniqueItems: true }) })),
  withSchema(
    "additional and named properties",
    object({ a: text }, { additionalProperties: text }),
  ),
  withSchema("additional true and named", object({ a: text }, { additionalProperties: true })),
  withSchema("additional at root", object({ a: text }), { additionalProperties: text }),
  withSchema("nullable root", object({ a: text }), { nullable: true }),
  withSchema("bad pattern", object({ a: { type: "string", pattern: "(" } })),
  withSchema("types under any of", object({ a: { type: "string", anyOf: [{ type: "string" }] } })),
  withSchema(
    "properties under any of",
    object({ a: text }, { anyOf: [{ required: ["a"] }, { properties: { b: { minLength: 1 } } }] }),
  ),
  withSchema("metadata", object({}), {
    properties: {
      metadata: {
        type: "object",
        properties: { name: { type: "string", maxLength: 3 }, labels: { type: "object" } },
      },
    },
  }),
  withSchema("metadata default", object({}), {
    properties: {
      metadata: { type: "object", properties: { name: { type: "string", default: "x" } } },
    },
  }),
  withSchema(
    "preserve false",
    object({ a: { type: "object", "x-kubernetes-preserve-unknown-fields": false } }),
  ),
  withSchema(
    "embedded without properties",
    object({ a: { type: "object", "x-kubernetes-embedded-resource": true } }),
  ),
  withSchema(
    "embedded in metadata",
    object({
      a: object(
        {
          metadata: object({
            x: {
              type: "object",
              "x-kubernetes-embedded-resource": true,
              "x-kubernetes-preserve-unknown-fields": true,
            },
          }),
        },
        { "x-kubernetes-embedded-resource": true },
      ),
    }),
  ),
  withSchema(
    "int or string with type",
    object({ a: { type: "string", "x-kubernetes-int-or-string": true } }),
  ),
  withSchema(
    "map type of a string",
    object({ a: { type: "string", "x-kubernetes-map-type": "atomic" } }),
  ),
  withSchema(
    "map type unknown",
    object({ a: { type: "object", "x-kubernetes-map-type": "soft" } }),
  ),
  withSchema(
    "list type of a string",
    object({ a: { type: "string", "x-kubernetes-list-type": "set" } }),
  ),
  withSchema("list type unknown", object({ a: list(text, { "x-kubernetes-list-type": "bag" }) })),
  withSchema(
    "set of objects",
    object({ a: list(object({ b: text }), { "x-kubernetes-list-type": "set" }) }),
  ),
  withSchema(
    "set of lists",
    object({
      a: list(list(text, { "x-kubernetes-list-type": "set" }), { "x-kubernetes-list-type": "set" }),
    }),
  ),
  withSchema(
    "set of atomic objects",
    object({
      a: list(object({ b: text }, { "x-kubernetes-map-type": "atomic" }), {
        "x-kubernetes-list-type": "set",
      }),
    }),
  ),
  withSchema(
    "map without keys",
    object({ a: list(object({ b: text }), { "x-kubernetes-list-type": "map" }) }),
  ),
  withSchema(
    "keys without map",
    object({ a: list(object({ b: text }), { "x-kubernetes-list-map-keys": ["b"] }) }),
  ),
  withSchema(
    "keys of a set",
    object({
      a: list(text, { "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["b"] }),
    }),
  ),
  withSchema(
    "map of strings",
    object({
      a: list(text, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["b"] }),
    }),
  ),
  withSchema(
    "map key unknown",
    object({
      a: list(object({ b: text }, { required: ["b"] }), {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["c"],
      }),
    }),
  ),
  withSchema(
    "map key twice",
    object({
      a: list(object({ b: text }, { required: ["b"] }), {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["b", "b"],
      }),
    }),
  ),
  withSchema(
    "map key object",
    object({
      a: list(object({ b: object({}) }, { required: ["b"] }), {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["b"],
      }),
    }),
  ),
  withSchema(
    "map key optional",
    object({
      a: list(object({ b: text }), {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["b"],
      }),
    }),
  ),
  withSchema(
    "map key nullable",
    object({
      a: list(
        object({ b: { type: "string", nullable: true } }, { required: ["b"], nullable: true }),
        { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["b"] },
      ),
    }),
  ),
  withSchema("default wrong", object({ a: { type: "string", default: 1 } })),
  withSchema("default unknown field", object({ a: object({ b: text }, { default: { c: 1 } }) })),
  withSchema(
    "default against enum",
    object({ a: { type: "string", enum: ["x", "y"], default: "z" } }),
  ),
  withSchema(
    "default against rule",
    object({
      a: { type: "string", default: "z", "x-kubernetes-validations": [{ rule: "self != 'z'" }] },
    }),
  ),
  withSchema(
    "format unknown",
    object({ a: { type: "string", format: "weird" }, b: { type: "integer", format: "int16" } }),
  ),
  withSchema(
    "rule",
    object({ a: text }, { "x-kubernetes-validations": [{ rule: "self.a != ''", message: "no" }] }),
  ),
  withSchema(
    "rule wrong",
    object({ a: text }, { "x-kubernetes-validations": [{ rule: "self.b != ''" }] }),
  ),
  withSchema("rule empty", object({ a: text }, { "x-kubernetes-validations": [{ rule: " " }] })),
  withSchema(
    "rule texts",
    object(
      { a: text },
      {
        "x-kubernetes-validations": [
          { rule: "true", message: " " },
          { rule: "true", message: "a\nb" },
          { rule: "true\n", messageExpression: " " },
          { rule: "true\n&& true" },
          { rule: "true", reason: "Odd", fieldPath: ".b" },
        ],
      },
    ),
  ),
  withSchema(
    "rule with old self in list",
    object({
      a: list(
        { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] },
        { maxItems: 3 },
      ),
    }),
  ),
  withSchema(
    "rule too costly",
    object({
      a: list({ type: "string", "x-kubernetes-validations": [{ rule: "self.contains('x')" }] }),
    }),
  ),
  withSchema(
    "rule optional old self",
    object({ a: text }, { "x-kubernetes-validations": [{ rule: "true", optionalOldSelf: true }] }),
  ),
  withSchema(
    "message expression wrong",
    object({ a: text }, { "x-kubernetes-validations": [{ rule: "true", messageExpression: "1" }] }),
  ),
  withSchema(
    "rule beside other error",
    object(
      {
        a: { type: "string", "x-kubernetes-validations": [{ rule: "self.b" }] },
        c: { type: "string", uniqueItems: true },
      },
      { "x-kubernetes-validations": [{ rule: "self.zz" }] },
    ),
  ),
  withVersion("root type with status", {
    subresources: { status: {} },
    schema: { openAPIV3Schema: { type: "array", items: text } },
  }),
  withVersion("root any of with status", {
    subresources: { status: {} },
    schema: schemaOf(object({ a: text }), { anyOf: [{ required: ["spec"] }] }),
  }),
];

export const parts: readonly Case[] = [
  withVersion("columns wrong", {
    additionalPrinterColumns: [
      {},
      { name: "A", type: "text", format: "x", jsonPath: "a" },
      { name: "B", type: "string", jsonPath: ".a[" },
    ],
  }),
  withVersion("columns", {
    additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.a" }],
  }),
  withVersion("scale empty", { subresources: { scale: {} } }),
  withVersion("scale wrong", {
    subresources: {
      scale: { specReplicasPath: "a", statusReplicasPath: ".spec.a", labelSelectorPath: ".x" },
    },
  }),
  withVersion("scale spec path", {
    subresources: {
      scale: {
        specReplicasPath: ".status.a",
        statusReplicasPath: ".status.a",
        labelSelectorPath: "x",
      },
    },
  }),
  withVersion("selectable fields wrong", {
    selectableFields: [
      { jsonPath: "" },
      { jsonPath: ".spec.b" },
      { jsonPath: ".spec" },
      { jsonPath: ".spec.a" },
      { jsonPath: ".spec.a" },
      { jsonPath: ".spec['a']" },
      { jsonPath: "spec" },
      { jsonPath: ".metadata.name" },
    ],
  }),
  withVersion("selectable fields too many", {
    schema: schemaOf(object(Object.fromEntries([..."abcdefghi"].map((name) => [name, text])))),
    selectableFields: [..."abcdefghi"].map((name) => ({ jsonPath: `.spec.${name}` })),
  }),
  tried(
    "parts of two versions",
    crd({
      versions: [
        version({
          additionalPrinterColumns: [{ name: "A", type: "text", jsonPath: ".a" }],
          schema: schemaOf({}),
        }),
        version({
          name: "v2",
          storage: false,
          subresources: { scale: {} },
          selectableFields: [{ jsonPath: ".x" }],
        }),
      ],
    }),
  ),
];
