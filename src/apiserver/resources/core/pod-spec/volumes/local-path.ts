import type { FieldPath } from "#/machinery/meta/field-path.ts";
import type { FieldReport } from "../../../rules/field-report.ts";

/**
 * Rules for paths of files in volumes.
 *
 * Upstream: pkg/apis/core/validation/validation.go.
 */

const climbs = (path: string): boolean => path.includes("..") && path.split("/").includes("..");
const isReserved = (path: string): boolean => path.startsWith("..") && !path.startsWith("../");

/** A path may not contain "..". */
export function validateNoBacksteps(
  report: FieldReport,
  path: FieldPath,
  field: string,
  value: string,
): void {
  if (climbs(value)) report.invalid(path, field, value, "must not contain '..'");
}

/** A path must be relative and may not contain "..". */
export function validateDescendingPath(
  report: FieldReport,
  path: FieldPath,
  field: string,
  value: string,
): void {
  if (value.startsWith("/")) report.invalid(path, field, value, "must be a relative path");
  validateNoBacksteps(report, path, field, value);
}

/** A path must be relative, may not contain "..", and may not use names that atomic writes use. */
export function validateLocalPath(
  report: FieldReport,
  path: FieldPath,
  field: string,
  value: string,
): void {
  validateDescendingPath(report, path, field, value);
  if (isReserved(value)) report.invalid(path, field, value, "must not start with '..'");
}

/** Whether validateLocalPath reports no error. */
export const isLocalPath = (value: string): boolean =>
  !value.startsWith("/") && !climbs(value) && !isReserved(value);
