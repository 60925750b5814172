import { type Policy, policyName } from "../model/policy.ts";

/** The order in which policies of a tier decide. Equal priorities: by name, so that all nodes decide alike. */
export const byPriority = (policies: readonly Policy[]): Policy[] =>
  policies.toSorted(
    (a, b) => a.priority - b.priority || (policyName(a.source) < policyName(b.source) ? -1 : 1),
  );
