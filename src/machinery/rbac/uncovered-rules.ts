import type { PolicyRule } from "#/api/rbac/v1.ts";

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
  return servant.flatMap(breakDown).filter((part) => !owner.some((rule) => ruleCovers(rule, part)));
}

/** Splits a rule into rules with one verb and one resource, name or path each. */
function breakDown(rule: PolicyRule): PolicyRule[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  const parts: PolicyRule[] = [];
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) parts.push(part);
        for (const name of resourceNames) parts.push({ ...part, resourceNames: [name] });
      }
    }
  }
  for (const path of rule.nonResourceURLs ?? []) {
    for (const verb of verbs) parts.push({ nonResourceURLs: [path], verbs: [verb] });
  }
  return parts;
}

function ruleCovers(owner: PolicyRule, part: PolicyRule): boolean {
  return (
    part.verbs.every((verb) => hasOrAll(owner.verbs, verb)) &&
    (part.apiGroups ?? []).every((group) => hasOrAll(owner.apiGroups, group)) &&
    (part.resources ?? []).every((resource) => resourceCovers(owner.resources, resource)) &&
    namesCover(owner.resourceNames ?? [], part.resourceNames ?? []) &&
    (part.nonResourceURLs ?? []).every((path) =>
      owner.nonResourceURLs?.some((pattern) => pathCovers(pattern, path)),
    )
  );
}

function resourceCovers(resources: readonly string[] | undefined, resource: string): boolean {
  if (hasOrAll(resources, resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && (resources?.includes(`*${resource.slice(slash)}`) ?? false);
}

function namesCover(owner: readonly string[], part: readonly string[]): boolean {
  if (owner.length === 0) return true;
  return part.length > 0 && part.every((name) => owner.includes(name));
}

/** Whether a list of verbs or groups contains a value or the wildcard. */
export function hasOrAll(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes(value) || list.includes("*"));
}

/** Whether a path pattern, which may end in a wildcard, matches another pattern. */
export function pathCovers(pattern: string, path: string): boolean {
  return (
    pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, "")))
  );
}
