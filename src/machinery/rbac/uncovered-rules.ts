import type { PolicyRule } from "#/api/rbac/v1.ts";
import { boxSize, ruleOf, singleRules, type Uncovered, uncoveredBoxes } from "./rule-boxes.ts";

/**
 * Whether rules grant all permissions of other rules.
 *
 * Upstream: staging/src/k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go.
 */

/**
 * The permissions of the servant's rules that the owner's rules do not grant, each as a rule with
 * one verb, one resource and one name.
 */
export function uncoveredRules(
  owner: readonly PolicyRule[],
  servant: readonly PolicyRule[],
): PolicyRule[] {
  return eachPermission(uncoveredBoxes(owner, servant, Number.POSITIVE_INFINITY));
}

/** Permissions that are not granted, as rules. */
export interface LackingRules {
  readonly rules: readonly PolicyRule[];
  /** Whether each rule is one permission; otherwise there are too many to list each. */
  readonly isEach: boolean;
}

/** Limit of the permissions that are listed one by one: more are listed as they are written. */
const maxPermissions = 2_000;

/**
 * The permissions of the servant's rules that the owner's rules do not grant, without listing more
 * than a limit.
 */
export function lackingRules(
  owner: readonly PolicyRule[],
  servant: readonly PolicyRule[],
): LackingRules {
  const uncovered = uncoveredBoxes(owner, servant);
  const count = uncovered.boxes.reduce((sum, box) => sum + boxSize(box), 0);
  const isEach = count <= maxPermissions && !uncovered.isCutOff;
  return { isEach, rules: isEach ? eachPermission(uncovered) : uncovered.boxes.map(ruleOf) };
}

function eachPermission({ boxes }: Uncovered): PolicyRule[] {
  const byRule = Map.groupBy(boxes, ({ rule }) => rule);
  return [...byRule.values()].flatMap((parts) => [
    ...singleRules(parts.filter(({ type }) => type === "resource")),
    ...singleRules(parts.filter(({ type }) => type === "path")),
  ]);
}
