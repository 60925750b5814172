import { NumberLiteral } from "../codec/json/json-parser.ts";
import { int64Of } from "../codec/json/json-scalars.ts";
import { isJsonObject } from "./values/json-value.ts";

/**
 * A value with number literals converted, as Go decodes a patch into a map: integers of 64 bits are
 * exact, all others are doubles. Returns the same instance if there are none.
 */
export function plainNumbers(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof NumberLiteral) return int64Of(value) ?? Number(value.text);
  if (Array.isArray(value)) {
    const items = value.map(plainNumbers);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, plainNumbers(part)] as const);
  return entries.every(([key, part]) => part === value[key]) ? value : Object.fromEntries(entries);
}
