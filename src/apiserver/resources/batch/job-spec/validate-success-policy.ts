import type { JobSpec, SuccessPolicyRule } from "#/api/batch/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isLongerThan } from "#/machinery/meta/names.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import { countIndexes, IndexListError } from "./index-list.ts";

/** Validation of the success policy. Upstream: pkg/apis/batch/validation/validation.go. */

const maxRules = 20;
const maxIndexesBytes = 64 * 1024;

/** Checks the rules of a success policy. */
export function validateSuccessPolicy(report: FieldReport, path: FieldPath, spec: JobSpec): void {
  const { rules = [] } = spec.successPolicy ?? {};
  if (rules.length === 0) {
    const detail = "at least one rules must be specified when the successPolicy is specified";
    report.required(path, "rules", detail);
  }
  if (rules.length > maxRules) {
    report.tooMany(path, "rules", { actual: rules.length, max: maxRules });
  }
  rules.forEach((rule, index) => {
    validateRule(report, path.child("rules").index(index), rule, spec.completions ?? 0);
  });
}

function validateRule(
  report: FieldReport,
  path: FieldPath,
  { succeededCount, succeededIndexes }: SuccessPolicyRule,
  completions: number,
): void {
  if (succeededCount === undefined && succeededIndexes === undefined) {
    const detail = "at least one of succeededCount or succeededIndexes must be specified";
    report.required(path, "", detail);
  }
  const named = countNamed(report, path, succeededIndexes, completions);
  if (succeededCount === undefined) return;
  report.nonNegative(path, "succeededCount", succeededCount);
  if (succeededCount > completions) {
    const limit = `${completions} (the number of specified completions)`;
    report.invalid(
      path,
      "succeededCount",
      succeededCount,
      `must be less than or equal to ${limit}`,
    );
  }
  if (named !== undefined && succeededCount > named) {
    const limit = `${named} (the number of indexes in the specified succeededIndexes field)`;
    report.invalid(
      path,
      "succeededCount",
      succeededCount,
      `must be less than or equal to ${limit}`,
    );
  }
}

function countNamed(
  report: FieldReport,
  path: FieldPath,
  indexes: string | undefined,
  completions: number,
): number | undefined {
  if (indexes === undefined) return undefined;
  if (isLongerThan(indexes, maxIndexesBytes)) {
    report.tooLong(path, "succeededIndexes", maxIndexesBytes);
  }
  try {
    return countIndexes(indexes, completions);
  } catch (error) {
    if (!(error instanceof IndexListError)) throw error;
    const detail = `error parsing succeededIndexes: ${error.message}`;
    report.invalid(path, "succeededIndexes", indexes, detail);
    return 0;
  }
}
