import assert from "node:assert/strict";
import { test } from "node:test";
import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import { pruneDefaults } from "./prune-defaults.ts";
import { buildStructuralSchema } from "./structural-schema.ts";

const prunedDefault = (schema: JSONSchemaProps): unknown =>
  pruneDefaults(
    buildStructuralSchema({ type: "object", properties: { a: schema } }),
  ).properties.get("a")?.default;

test("pruneDefaults() keeps fields that the schema specifies", () => {
  const object: JSONSchemaProps = { type: "object", properties: { b: { type: "string" } } };
  assert.deepEqual(prunedDefault({ ...object, default: { b: "x", c: 1 } }), { b: "x" });
  assert.deepEqual(
    prunedDefault({ type: "array", items: object, default: [{ c: 1 }, { b: "y" }] }),
    [{}, { b: "y" }],
  );
  assert.deepEqual(prunedDefault({ type: "string", default: "x" }), "x");
  const keeping = { ...object, "x-kubernetes-preserve-unknown-fields": true };
  assert.deepEqual(prunedDefault({ ...keeping, default: { c: 1 } }), { c: 1 });
});

test("pruneDefaults() prunes items and additional fields", () => {
  const object: JSONSchemaProps = { type: "object", default: { z: 1 } };
  const schema = pruneDefaults(
    buildStructuralSchema({
      type: "object",
      properties: {
        list: { type: "array", items: object },
        map: { type: "object", additionalProperties: object },
      },
    }),
  );
  assert.deepEqual(schema.properties.get("list")?.items?.default, {});
  assert.deepEqual(schema.properties.get("map")?.additionalProperties?.schema?.default, {});
});

test("pruneDefaults() drops metadata that the Go type does not have", () => {
  const embedded: JSONSchemaProps = {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
    default: { apiVersion: "v1", kind: 5, metadata: { name: "x", labels: "no", odd: 1 } },
  };
  assert.deepEqual(prunedDefault(embedded), { apiVersion: "v1", metadata: { name: "x" } });
});

test("pruneDefaults() requires an object at the root", () => {
  assert.throws(() => pruneDefaults(buildStructuralSchema({ type: "object", default: "x" })), {
    message: "failed to prune default value: object root default value must be of object type",
  });
});
