import { NumberLiteral } from "../../codec/json/json-parser.ts";
import { isJsonObject } from "./json-value.ts";

/** The value with number literals converted as JSON.parse does. */
export function asDoubles(value: unknown): unknown {
  if (value instanceof NumberLiteral) return Number(value.text);
  if (Array.isArray(value)) return value.map(asDoubles);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, asDoubles(part)]));
}
