import type { Field, Schema, StructSchema } from "#/api/base/schema.ts";
import { setOwn } from "../shape/own-property.ts";

type Entries = readonly (readonly [key: string, value: unknown])[];

/**
 * Merges duplicate keys into one object as Go's decoder fills a struct: the last value of a field
 * wins, but structs, maps and list items are merged, and null leaves a value that cannot be nil
 * unchanged.
 */
export function mergeDuplicates(schema: StructSchema, entries: Entries): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    const field = schema.fields.get(key);
    const again = field !== undefined && Object.hasOwn(object, key);
    setOwn(object, key, again ? mergeValues(field.schema, object[key], value, field) : value);
  }
  return object;
}

function mergeValues(schema: Schema, before: unknown, after: unknown, field?: Field): unknown {
  if (after === null) return isNullable(schema, field) ? null : before;
  if (Array.isArray(before) && Array.isArray(after) && schema.type === "list") {
    return after.map((item, i) =>
      i < before.length ? mergeValues(schema.items, before[i], item) : item,
    );
  }
  if (!isRecord(before) || !isRecord(after)) return after;
  if (schema.type === "map") return mergeMaps(before, after);
  if (schema.type !== "struct" || schema.unstructured) return after;
  return mergeDuplicates(schema, [...Object.entries(before), ...Object.entries(after)]);
}

function mergeMaps(before: object, after: object): object {
  const merged: Record<string, unknown> = {};
  for (const [key, value] of [...Object.entries(before), ...Object.entries(after)]) {
    setOwn(merged, key, value);
  }
  return merged;
}

function isNullable({ type }: Schema, field?: Field): boolean {
  return field?.pointer === true || type === "list" || type === "map" || type === "time";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
