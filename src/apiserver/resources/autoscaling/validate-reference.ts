import type { CrossVersionObjectReference } from "#/api/autoscaling/v2.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isPathSegmentName } from "#/machinery/meta/names.ts";
import type { FieldReport } from "../rules/field-report.ts";

/** Rules that are relaxed for a reference. */
export interface ReferenceRules {
  readonly allowInvalidVersion: boolean;
  readonly allowNoGroup: boolean;
}

/** Checks a reference to an object. Upstream: pkg/apis/autoscaling/validation/validation.go. */
export function validateReference(
  report: FieldReport,
  path: FieldPath,
  reference: CrossVersionObjectReference,
  rules: ReferenceRules,
): void {
  for (const field of ["kind", "name"] as const) {
    const value = reference[field];
    if (!value) report.required(path, field);
    else report.problems(path, field, value, isPathSegmentName(value));
  }
  const problem = apiVersionProblem(reference, rules);
  if (problem) report.invalid(path, "apiVersion", reference.apiVersion ?? "", problem);
}

/** The problem with the apiVersion of a reference; undefined if there is none. */
export function apiVersionProblem(
  { apiVersion = "" }: CrossVersionObjectReference,
  { allowInvalidVersion, allowNoGroup }: ReferenceRules,
): string | undefined {
  if (allowInvalidVersion) return undefined;
  const parts = apiVersion.split("/");
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = parts.length === 2 && parts[0] !== "";
  return hasGroup || allowNoGroup ? undefined : "apiVersion must specify API group";
}
