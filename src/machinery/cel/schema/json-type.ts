import { isInt64 } from "../value/uint.ts";

/** The int of a JSON number; undefined if it is not an integer. */
export function fromNumberText(data: unknown): bigint | undefined {
  if (typeof data === "number") return Number.isInteger(data) ? BigInt(data) : undefined;
  return typeof data === "bigint" && isInt64(data) ? data : undefined;
}

/** The type that Go gives to decoded JSON. */
export function goJsonType(data: unknown): string {
  switch (typeof data) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isInteger(data) ? "int64" : "float64";
    default:
      if (data === null || data === undefined) return "<nil>";
      return Array.isArray(data) ? "[]interface {}" : "map[string]interface {}";
  }
}
