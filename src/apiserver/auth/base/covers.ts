import type { PolicyRule } from "#/api/rbac/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/** Upstream: pkg/registry/rbac/validation/policy_compact.go. */

/** Rules as a message lists them: sorted, and merged if they differ only in verbs. */
export function describeRules(rules: readonly PolicyRule[]): string[] {
  const compact = new Map<string, PolicyRule & { readonly verbs: string[] }>();
  for (const rule of rules) {
    const { verbs, ...rest } = rule;
    const key = rule.nonResourceURLs ? JSON.stringify(rule) : JSON.stringify(rest);
    const known = compact.get(key);
    if (known) for (const verb of verbs) known.verbs.push(verb);
    else compact.set(key, { ...rule, verbs: [...verbs] });
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
