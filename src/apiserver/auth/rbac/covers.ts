import type { PolicyRule } from "#/api/rbac/v1.ts";
import { goQuote } from "#/std/go-quote.ts";
import { has, pathCovers } from "./rule-matches.ts";

/**
 * Whether some rules grant all that others do.
 *
 * Upstream: component-helpers/auth/rbac/validation/policy_comparator.go, pkg/registry/rbac/validation/policy_compact.go.
 */

/** What the servants' rules grant beyond the owner's, each as a rule with one verb, one resource and one name. */
export function uncovered(
  owner: readonly PolicyRule[],
  servant: readonly PolicyRule[],
): PolicyRule[] {
  return servant.flatMap(breakDown).filter((part) => !owner.some((rule) => ruleCovers(rule, part)));
}

/** A rule as many rules with one verb and one resource, name or path each. */
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
    part.verbs.every((verb) => has(owner.verbs, verb)) &&
    (part.apiGroups ?? []).every((group) => has(owner.apiGroups, group)) &&
    (part.resources ?? []).every((resource) => resourceCovers(owner.resources, resource)) &&
    namesCover(owner.resourceNames ?? [], part.resourceNames ?? []) &&
    (part.nonResourceURLs ?? []).every((path) =>
      owner.nonResourceURLs?.some((pattern) => pathCovers(pattern, path)),
    )
  );
}

function resourceCovers(resources: readonly string[] | undefined, resource: string): boolean {
  if (has(resources, resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && (resources?.includes(`*${resource.slice(slash)}`) ?? false);
}

function namesCover(owner: readonly string[], part: readonly string[]): boolean {
  if (owner.length === 0) return true;
  return part.length > 0 && part.every((name) => owner.includes(name));
}

/** Rules as a message lists them: those that differ in their verb only as one, sorted. */
export function describeRules(rules: readonly PolicyRule[]): string[] {
  const compact = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { verbs, ...rest } = rule;
    const key = rule.nonResourceURLs ? JSON.stringify(rule) : JSON.stringify(rest);
    const known = compact.get(key);
    compact.set(key, known ? { ...rest, verbs: [...known.verbs, ...verbs] } : rule);
  }
  return [...new Set([...compact.values()].map(describeRule))].sort();
}

function describeRule(rule: PolicyRule): string {
  const parts = [
    quoteList("APIGroups", rule.apiGroups),
    quoteList("Resources", rule.resources),
    quoteList("NonResourceURLs", rule.nonResourceURLs),
    quoteList("ResourceNames", rule.resourceNames),
    quoteList("Verbs", rule.verbs),
  ];
  return `{${parts.filter((part) => part !== "").join(", ")}}`;
}

const quoteList = (label: string, list: readonly string[] = []): string =>
  list.length === 0 ? "" : `${label}:${goQuoteList(list)}`;

/** A list of strings as Go's `%q` writes it. */
export const goQuoteList = (list: readonly string[]): string => `[${list.map(goQuote).join(" ")}]`;
