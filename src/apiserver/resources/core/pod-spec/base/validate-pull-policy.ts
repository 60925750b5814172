import type { FieldPath } from "#/machinery/meta/field-path.ts";
import type { FieldReport } from "../../../rules/field-report.ts";

const pullPolicies = ["Always", "IfNotPresent", "Never"];

/** Checks the pull policy of an image. */
export function validatePullPolicy(
  report: FieldReport,
  path: FieldPath,
  field: string,
  policy: string | undefined,
): void {
  if (!policy) report.required(path, field);
  else if (!pullPolicies.includes(policy)) report.notSupported(path, field, policy, pullPolicies);
}
