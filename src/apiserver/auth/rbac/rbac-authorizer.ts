import type { Attributes, Authorizer, Decision, KnownRules } from "../../model/authorizer.ts";
import type { UserInfo } from "../../model/exchange.ts";
import { aggregate } from "../base/aggregate.ts";
import { missingRole, type RbacIndex } from "./rbac-index.ts";

const noOpinion: Decision = { decision: "no-opinion", reason: "" };

/** Allows a request if a role of the user or a group allows it. Upstream: plugin/pkg/auth/authorizer/rbac/rbac.go. */
export class RbacAuthorizer implements Authorizer {
  readonly name: string;
  readonly #index: RbacIndex;

  constructor(index: RbacIndex, name = "rbac") {
    this.#index = index;
    this.name = name;
  }

  authorize(attributes: Attributes): Decision {
    const { resource, subresource, user, namespace } = attributes;
    const combined = subresource === "" ? resource : `${resource}/${subresource}`;
    let allowed: Decision | undefined;
    let missing: Set<string> | undefined;
    this.#index.search(user, namespace, (rules) => {
      allowed = rules.find(attributes, combined);
      if (rules.missing.length > 0) missing = new Set([...(missing ?? []), ...rules.missing]);
      return allowed !== undefined;
    });
    if (allowed) return allowed;
    return missing ? { decision: "no-opinion", reason: `RBAC: ${aggregate(missing)}` } : noOpinion;
  }

  rulesFor(user: UserInfo, namespace: string): KnownRules {
    const { rules, missing } = this.#index.rulesFor(user, namespace);
    return { rules, incomplete: false, errors: missing.map(missingRole) };
  }
}
