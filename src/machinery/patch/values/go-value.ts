import { goQuote } from "#/std/go/go-quote.ts";
import { goNumber } from "../../values/go-format.ts";

/**
 * JSON values as Go's fmt prints them, for messages that quote a patch.
 *
 * Upstream: Go's fmt, on the types that apimachinery's JSON decoder makes.
 */

/** A value as %v prints it: map[a:1 b:[x y]], with sorted keys. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "string") return value;
  if (typeof value === "number") return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (!isMap(value)) return String(value);
  const entries = sortedKeys(value).map((key) => `${key}:${goValue(value[key])}`);
  return `map[${entries.join(" ")}]`;
}

/** A value as %#v prints it: map[string]interface {}{"a":1}. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return goNumber(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isMap(value)) return String(value);
  const entries = sortedKeys(value).map((key) => `${goQuote(key)}:${goSyntax(value[key])}`);
  return `map[string]interface {}{${entries.join(", ")}}`;
}

/** The type of a value as %T prints it. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  if (typeof value === "bigint") return "int64";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

/** Whether a value is a JSON object, and not a number literal. */
function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

const sortedKeys = (value: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(value).sort();

/** The name of a value's type in the errors of encoding/json. */
export function goJsonType(value: unknown): string {
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  if (typeof value === "number" || typeof value === "bigint") return "number";
  return Array.isArray(value) ? "array" : "object";
}
