import { goQuote } from "#/std/go/go-quote.ts";
import { typeInvalid } from "../meta/field-error.ts";
import type { ValidationRun } from "./validation-run.ts";

/** What a schema says of the type of a value. */
interface TypeRule {
  /** None, one, or integer and string. */
  readonly types: readonly string[];
  /** "" for none, or for one that does not go with the type. */
  readonly format: string;
  readonly nullable: boolean;
}

/** The types of JSON as a schema names them. */
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

/** Formats that upstream gives to values by their type. */
const formatOf: Readonly<Partial<Record<JsonType, string>>> = {
  integer: "int64",
  number: "float64",
};

/**
 * Checks a value's type and counts the match. A text or list is let pass where a format is given for something other
 * than numbers, as it is upstream.
 *
 * Upstream: kube-openapi/pkg/validation/validate/type.go.
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

/** A value is of one type where another was due. */
export function reportType(run: ValidationRun, wanted: string, found: string): void {
  run.report(`must be of type ${wanted}: ${goQuote(found)}`, (path, message) =>
    typeInvalid(path, found, message),
  );
}

/** How far a number may be from a whole one, relative to its size. */
const epsilon = 1e-9;

/** Whether a number is whole but for an error of calculation. */
export function isNearInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER || Number.isNaN(value)) return false;
  const rounded = Math.round(value);
  return value === rounded || Math.abs(value - rounded) < epsilon * Math.abs(rounded);
}
