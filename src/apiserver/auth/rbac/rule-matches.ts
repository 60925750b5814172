import type { PolicyRule } from "#/api/rbac/v1.ts";
import { hasOrAll, pathCovers } from "#/machinery/rbac/rule-values.ts";
import type { Attributes } from "../../model/authorizer.ts";

/**
 * Whether a rule allows a request.
 *
 * Upstream: pkg/apis/rbac/v1/evaluation_helpers.go.
 */
export function ruleMatches(rule: PolicyRule, attributes: Attributes): boolean {
  if (!hasOrAll(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResourceRequest) return matchesPath(rule.nonResourceURLs, attributes.path);
  return (
    hasOrAll(rule.apiGroups, attributes.apiGroup) &&
    matchesResource(rule.resources, attributes.resource, attributes.subresource) &&
    matchesName(rule.resourceNames, attributes.name)
  );
}

/** Whether a rule's names, if it has any, include this one. */
function matchesName(names: readonly string[] | undefined, name: string): boolean {
  return names === undefined || names.length === 0 || names.includes(name);
}

function matchesResource(
  resources: readonly string[] | undefined,
  resource: string,
  subresource: string,
): boolean {
  if (resources === undefined) return false;
  if (subresource === "") return hasOrAll(resources, resource);
  return (
    hasOrAll(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`)
  );
}

/** Whether a rule's paths include this one; a star at the end matches any rest. */
function matchesPath(paths: readonly string[] | undefined, path: string): boolean {
  return paths?.some((pattern) => pathCovers(pattern, path)) ?? false;
}
