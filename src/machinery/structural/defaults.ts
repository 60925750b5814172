import { setOwn } from "../codec/shape/own-property.ts";
import { deepCopy } from "../objects/deep-copy.ts";
import { isJsonObject, type StructuralSchema, schemaOfField } from "./structural-schema.ts";

/**
 * Drops nulls that are neither allowed nor replaced by a default; those in lists stay.
 *
 * Upstream:
 * staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/prunenulls.go,
 * algorithm.go.
 */
export function dropNulls(value: unknown, schema: StructuralSchema | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(item, schema?.items);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      const field = schemaOfField(schema, key);
      if (value[key] !== null) dropNulls(value[key], field);
      else if (isForbiddenNull(null, field) && field?.default === undefined) delete value[key];
    }
  }
}

/** Sets defaults for missing fields, and for nulls that are not allowed. */
export function fillDefaults(value: unknown, schema: StructuralSchema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) fillItems(value, schema.items);
  else if (isJsonObject(value)) fillFields(value, schema);
}

function fillFields(object: Record<string, unknown>, schema: StructuralSchema): void {
  for (const [name, field] of schema.properties) {
    if (field.default === undefined) continue;
    if (!Object.hasOwn(object, name) || isForbiddenNull(object[name], field)) {
      setOwn(object, name, deepCopy(field.default));
    }
  }
  const additional = schema.additionalProperties?.schema;
  for (const key of Object.keys(object)) {
    const known = schema.properties.get(key);
    if (known === undefined && isForbiddenNull(object[key], additional)) {
      object[key] = deepCopy(additional?.default ?? null);
    }
    fillDefaults(object[key], known ?? additional);
  }
}

function fillItems(list: unknown[], items: StructuralSchema | undefined): void {
  list.forEach((item, index) => {
    if (isForbiddenNull(item, items)) list[index] = deepCopy(items?.default ?? null);
    fillDefaults(list[index], items);
  });
}

function isForbiddenNull(value: unknown, schema: StructuralSchema | undefined): boolean {
  return value === null && schema !== undefined && !schema.nullable;
}
