import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isPercent } from "#/machinery/meta/text-rules.ts";
import { type IntOrString, intValue } from "#/machinery/values/int-or-string.ts";
import type { FieldReport } from "../rules/field-report.ts";

/** Counts that are a number or a share of something. Upstream: pkg/apis/apps/validation/validation.go. */

/** Checks that a count is a number that is not negative, or a percentage. */
export function validateIntOrPercent(
  report: FieldReport,
  path: FieldPath,
  field: string,
  value: IntOrString,
): void {
  if (typeof value === "number") report.nonNegative(path, field, value);
  else report.problems(path, field, new JsonValue(value), isPercent(value));
}

/** Checks that a share is not more than the whole. */
export function validateAtMostWhole(
  report: FieldReport,
  path: FieldPath,
  field: string,
  value: IntOrString,
): void {
  if ((percentOf(value) ?? 0) <= 100) return;
  report.invalid(path, field, new JsonValue(value), "must not be greater than 100%");
}

/** The number, whether or not it is one of percents; 0 for any other text. */
export const intOrPercentValue = (value: IntOrString): number =>
  percentOf(value) ?? intValue(value);

function percentOf(value: IntOrString): number | undefined {
  if (typeof value === "number" || isPercent(value).length > 0) return undefined;
  return Number(value.slice(0, -1));
}
