import { goQuote } from "#/std/go/go-quote.ts";
import { typeInvalid } from "../meta/field-error.ts";
import type { ValidationRun } from "./validation-run.ts";

/** A schema's rules for the type of a value. */
interface TypeRule {
  /** Empty, one type, or integer and string. */
  readonly types: readonly string[];
  /** "" for none, or for one that does not match the type. */
  readonly format: string;
  readonly nullable: boolean;
}

/** The JSON types as named in a schema. */
type JsonType = "null" | "boolean" | "string" | "integer" | "number" | "array" | "object";

/** The type of a value; whole numbers in the range of int64 are integers. */
export function jsonTypeOf(value: unknown): JsonType {
  if (value === null || value === undefined) return "null";
  switch (typeof value) {
    case "boolean":
    case "string":
      return typeof value as "boolean" | "string";
    case "bigint":
      return "integer";
    case "number":
      return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? "integer" : "number";
    default:
      return Array.isArray(value) ? "array" : "object";
  }
}

/** Formats that upstream assigns to values by their type. */
const formatOf: Readonly<Partial<Record<JsonType, string>>> = {
  integer: "int64",
  number: "float64",
};

/**
 * Checks a value's type and counts the match. As upstream, a string or list passes if the schema
 * has a format that is not for numbers.
 *
 * Upstream: vendor/k8s.io/kube-openapi/pkg/validation/validate/type.go.
 */
export function checkType(rule: TypeRule, value: unknown, run: ValidationRun): void {
  const { types, format, nullable } = rule;
  const type = jsonTypeOf(value);
  if (type === "null") {
    if (types.length === 0 || nullable) run.matches++;
    else reportType(run, types.join(","), type);
    return;
  }
  const fits =
    types.includes(type) ||
    (type === "integer" && types.includes("number")) ||
    (type === "number" && types.includes("integer") && isNearInteger(Number(value)));
  const structured = type === "string" || type === "array";
  if (!fits && !structured && format !== "" && formatOf[type] !== format) {
    reportType(run, format, formatOf[type] ?? "");
    return;
  }
  const numeric = types.includes("number") || types.includes("integer");
  if (fits || (structured && format !== "" && !numeric)) run.matches++;
  else reportType(run, types.join(","), type);
}

/** Reports a value of a wrong type. */
export function reportType(run: ValidationRun, expected: string, found: string): void {
  run.report(`must be of type ${expected}: ${goQuote(found)}`, (path, message) =>
    typeInvalid(path, found, message),
  );
}

/** Limit of a number's distance from an integer, relative to its size. */
const epsilon = 1e-9;

/** Whether a number is an integer, apart from a rounding error. */
export function isNearInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER || Number.isNaN(value)) return false;
  const rounded = Math.round(value);
  return value === rounded || Math.abs(value - rounded) < epsilon * Math.abs(rounded);
}
