import type { MatchResources, NamedRuleWithOperations } from "#/api/admissionregistration/v1.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { Registry } from "../../registry/registry.ts";
import { namespaceMatches, objectMatches, selectorOf } from "../request/matched-objects.ts";
import {
  equivalentTargets,
  ownTarget,
  ruleMatches,
  type Target,
} from "../request/matched-request.ts";

/**
 * The version in which the rules of a policy or binding match a request; undefined if they don't, or exclude it.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/matching/matching.go.
 */
export function findPolicyTarget(
  { excludeResourceRules = [], resourceRules = [], matchPolicy }: MatchResources,
  attributes: Attributes,
  registry: Registry,
): Target | undefined {
  const equivalents = () =>
    matchPolicy === "Exact" ? [] : equivalentTargets(registry, attributes);
  if (findRuleTarget(excludeResourceRules, attributes, equivalents)) return undefined;
  if (resourceRules.length === 0) return ownTarget(attributes);
  return findRuleTarget(resourceRules, attributes, equivalents);
}

function findRuleTarget(
  rules: readonly NamedRuleWithOperations[],
  attributes: Attributes,
  equivalents: () => readonly Target[],
): Target | undefined {
  if (rules.length === 0) return undefined;
  const matches = (rule: NamedRuleWithOperations, target: Target): boolean =>
    ruleMatches(rule, attributes, target) && isNamed(rule, attributes.name);
  const own = ownTarget(attributes);
  if (rules.some((rule) => matches(rule, own))) return own;
  const others = equivalents();
  for (const rule of rules) {
    const found = others.find((target) => matches(rule, target));
    if (found) return found;
  }
  return undefined;
}

const isNamed = ({ resourceNames = [] }: NamedRuleWithOperations, name: string): boolean =>
  resourceNames.length === 0 || resourceNames.includes(name);

/** Whether namespace and objects of a request match the selectors of a policy or binding. */
export async function selectorsMatch(
  { namespaceSelector, objectSelector }: MatchResources,
  attributes: Attributes,
  registry: Registry,
): Promise<boolean> {
  if (!objectMatches(selectorOf(objectSelector), attributes)) return false;
  return namespaceMatches(selectorOf(namespaceSelector), attributes, registry);
}

/** Whether a binding matches a request that its policy matches. */
export async function bindingMatches(
  resources: MatchResources | undefined,
  attributes: Attributes,
  registry: Registry,
): Promise<boolean> {
  if (!resources) return true;
  if (!findPolicyTarget(resources, attributes, registry)) return false;
  return selectorsMatch(resources, attributes, registry);
}
