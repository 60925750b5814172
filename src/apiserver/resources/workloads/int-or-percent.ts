import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isPercent } from "#/machinery/meta/text-rules.ts";
import { type IntOrString, intValue } from "#/machinery/values/int-or-string.ts";
import type { FieldReport } from "../rules/field-report.ts";

/** Counts that are a number or a percentage. Upstream: pkg/apis/apps/validation/validation.go. */

/** Checks that a count is a non-negative number or a percentage. */
export function validateIntOrPercent(
  report: FieldReport,
  path: FieldPath,
  field: string,
  value: IntOrString,
): void {
  if (typeof value === "number") report.nonNegative(path, field, value);
  else report.problems(path, field, new JsonValue(value), isPercent(value));
}

/** Checks that a percentage is at most 100%. */
export function validateAtMostWhole(
  report: FieldReport,
  path: FieldPath,
  field: string,
  value: IntOrString,
): void {
  if ((percentOf(value) ?? 0) <= 100) return;
  report.invalid(path, field, new JsonValue(value), "must not be greater than 100%");
}

/** The number or the percentage as a number; 0 for any other text. */
export const intOrPercentValue = (value: IntOrString): number =>
  percentOf(value) ?? intValue(value);

function percentOf(value: IntOrString): number | undefined {
  if (typeof value === "number" || isPercent(value).length > 0) return undefined;
  return Number(value.slice(0, -1));
}
