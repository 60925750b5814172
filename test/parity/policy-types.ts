/** ValidatingAdmissionPolicies whose expressions do or don't match the types of their objects. */
import { policiesAroundObjects } from "./policy-types/around-objects.ts";
import { policiesOfCustomKinds } from "./policy-types/custom.ts";
import { policiesOfExpressions } from "./policy-types/expressions.ts";
import { policiesOfKinds } from "./policy-types/kinds.ts";
import type { PolicyCase } from "./policy-types/policy-case.ts";

export const policies: readonly PolicyCase[] = [
  ...policiesOfKinds,
  ...policiesOfExpressions,
  ...policiesAroundObjects,
  ...policiesOfCustomKinds,
];

/** A status without values that differ between runs: upstream appends a timestamp to the name of each type. */
export function settled(status: unknown): unknown {
  const withoutNumbers = JSON.stringify(status).replaceAll(/\b([A-Z][A-Za-z]+)\d+\b/g, "$1#");
  return JSON.parse(withoutNumbers) as unknown;
}
