import type { FieldPath } from "#/machinery/meta/field-path.ts";
import type { FieldReport } from "../../../rules/field-report.ts";

/**
 * Rules for paths of files in volumes.
 *
 * Upstream: pkg/apis/core/validation/validation.go.
 */

const climbs = (path: string): boolean => path.includes("..") && path.split("/").includes("..");
const isReserved = (path: string): boolean => path.startsWith("..") && !path.startsWith("../");

/** A path may not lead upwards. */
export function validateNoBacksteps(
  report: FieldReport,
  path: FieldPath,
  field: string,
  value: string,
): void {
  if (climbs(value)) report.invalid(path, field, value, "must not contain '..'");
}

/** A path must lead downwards from where it starts. */
export function validateDescendingPath(
  report: FieldReport,
  path: FieldPath,
  field: string,
  value: string,
): void {
  if (value.startsWith("/")) report.invalid(path, field, value, "must be a relative path");
  validateNoBacksteps(report, path, field, value);
}

/** A path must lead downwards, and not to the names that atomic writes use themselves. */
export function validateLocalPath(
  report: FieldReport,
  path: FieldPath,
  field: string,
  value: string,
): void {
  validateDescendingPath(report, path, field, value);
  if (isReserved(value)) report.invalid(path, field, value, "must not start with '..'");
}

/** Whether validateLocalPath would find nothing. */
export const isLocalPath = (value: string): boolean =>
  !value.startsWith("/") && !climbs(value) && !isReserved(value);
