import type { PolicyRule } from "#/api/rbac/v1.ts";
import type { Attributes, Decision } from "../../model/authorizer.ts";
import { ruleMatches } from "./rule-matches.ts";

/** A rule and the reason of its decision. */
interface Grant {
  readonly rule: PolicyRule;
  readonly decision: Decision;
}

/** Rules of one subject, by resource. */
export class RuleIndex {
  readonly #byResource = new Map<string, Grant[]>();
  readonly #anyResource: Grant[] = [];
  readonly #anyOfSubresource = new Map<string, Grant[]>();
  readonly #paths: Grant[] = [];
  /** Errors for roles that are bound but don't exist. */
  readonly missing: string[] = [];

  add(rules: readonly PolicyRule[], reason: string): void {
    const decision: Decision = { decision: "allow", reason };
    for (const rule of rules) this.#addRule({ rule, decision });
  }

  #addRule(grant: Grant): void {
    if (grant.rule.nonResourceURLs?.length) this.#paths.push(grant);
    for (const resource of new Set(grant.rule.resources)) {
      if (resource === "*") this.#anyResource.push(grant);
      else if (resource.startsWith("*/")) push(this.#anyOfSubresource, resource.slice(2), grant);
      else push(this.#byResource, resource, grant);
    }
  }

  /** The decision of the first rule that allows the request. */
  find(attributes: Attributes, combined: string): Decision | undefined {
    if (!attributes.isResourceRequest) return firstMatch(this.#paths, attributes);
    return (
      firstMatch(this.#byResource.get(combined), attributes) ??
      firstMatch(this.#anyResource, attributes) ??
      (attributes.subresource === ""
        ? undefined
        : firstMatch(this.#anyOfSubresource.get(attributes.subresource), attributes))
    );
  }
}

function push(map: Map<string, Grant[]>, key: string, grant: Grant): void {
  const list = map.get(key);
  if (list) list.push(grant);
  else map.set(key, [grant]);
}

function firstMatch(
  grants: readonly Grant[] | undefined,
  attributes: Attributes,
): Decision | undefined {
  if (grants === undefined) return undefined;
  for (const { rule, decision } of grants) if (ruleMatches(rule, attributes)) return decision;
  return undefined;
}
