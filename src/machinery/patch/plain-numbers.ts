import { NumberLiteral } from "../codec/json/json-parser.ts";
import { int64Of } from "../codec/json/json-scalars.ts";
import { type JsonObject, setKey } from "./values/json-value.ts";

/**
 * A value with number literals converted, as Go decodes a patch into a map: integers of 64 bits are
 * exact, all others are doubles. Returns the same instance if there are none.
 */
export function plainNumbers(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof NumberLiteral) return int64Of(value) ?? Number(value.text);
  return Array.isArray(value) ? plainItems(value) : plainMembers(value as JsonObject);
}

function plainItems(list: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const plain = plainNumbers(item);
    if (plain === item) continue;
    copy ??= [...list];
    copy[index] = plain;
  }
  return copy ?? list;
}

function plainMembers(object: JsonObject): JsonObject {
  let copy: Record<string, unknown> | undefined;
  for (const key in object) {
    const part = object[key];
    if (typeof part !== "object" || part === null) continue;
    const plain = plainNumbers(part);
    if (plain === part) continue;
    copy ??= { ...object };
    setKey(copy, key, plain);
  }
  return copy ?? object;
}
