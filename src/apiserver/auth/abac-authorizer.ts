import type { PolicyRule } from "#/api/rbac/v1.ts";
import { pathCovers } from "#/machinery/rbac/rule-values.ts";
import type { Attributes, Authorizer, Decision, KnownRules } from "../model/authorizer.ts";
import type { UserInfo } from "../model/exchange.ts";

/**
 * Policies from a file, one JSON object per line.
 *
 * Upstream: pkg/auth/authorizer/abac/abac.go, pkg/apis/abac.
 */

interface Policy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

const allAuthenticated = "system:authenticated";
const versionedKind = "abac.authorization.kubernetes.io/v1beta1";
const readVerbs = ["get", "list", "watch"];

/** Allows a request if any policy allows it. */
export class AbacAuthorizer implements Authorizer {
  readonly name = "abac";
  readonly #policies: readonly Policy[];

  constructor(text: string, path: string) {
    this.#policies = text.split("\n").flatMap((line, index) => readPolicy(line, index + 1, path));
  }

  authorize(attributes: Attributes): Decision {
    const allowed = this.#policies.some((policy) => matches(policy, attributes));
    return allowed
      ? { decision: "allow", reason: "" }
      : { decision: "no-opinion", reason: "No policy matched." };
  }

  rulesFor(user: UserInfo, namespace: string): KnownRules {
    const rules = this.#policies.flatMap((policy): PolicyRule[] => {
      const here = policy.namespace === "*" || policy.namespace === namespace;
      if (!here || !matchesSubject(policy, user)) return [];
      const verbs = policy.readonly ? readVerbs : ["*"];
      const { apiGroup, resource, nonResourcePath } = policy;
      return [
        ...(resource === "" ? [] : [{ verbs, apiGroups: [apiGroup], resources: [resource] }]),
        ...(nonResourcePath === "" ? [] : [{ verbs, nonResourceURLs: [nonResourcePath] }]),
      ];
    });
    return { rules, incomplete: false, errors: [] };
  }
}

function readPolicy(line: string, number: number, path: string): Policy[] {
  const text = line.trim();
  if (text === "" || text.startsWith("#")) return [];
  try {
    const found = JSON.parse(text) as Record<string, unknown>;
    if (found["apiVersion"] === undefined && found["kind"] === undefined) return [oldPolicy(found)];
    if (found["apiVersion"] !== versionedKind || found["kind"] !== "Policy") {
      throw new Error(`unrecognized object: ${found["apiVersion"]}, ${found["kind"]}`);
    }
    return [newPolicy((found["spec"] ?? {}) as Record<string, unknown>)];
  } catch (error) {
    const message = (error as Error).message;
    throw new Error(`error reading policy file ${path}, line ${number}: ${line}: ${message}`, {
      cause: error,
    });
  }
}

function fields(found: Readonly<Record<string, unknown>>): Policy {
  const text = (name: string): string => String(found[name] ?? "");
  return {
    user: text("user"),
    group: text("group"),
    readonly: found["readonly"] === true,
    apiGroup: text("apiGroup"),
    resource: text("resource"),
    namespace: text("namespace"),
    nonResourcePath: text("nonResourcePath"),
  };
}

function newPolicy(found: Readonly<Record<string, unknown>>): Policy {
  const policy = fields(found);
  const everybody = policy.user === "*" || policy.group === "*";
  return everybody ? { ...policy, user: "", group: allAuthenticated } : policy;
}

/** In unversioned policies, an absent field stands for everything. */
function oldPolicy(found: Readonly<Record<string, unknown>>): Policy {
  const { user, group, readonly, resource, namespace } = fields(found);
  const everybody = (user === "" && group === "") || user === "*" || group === "*";
  return {
    user: everybody ? "" : user,
    group: everybody ? allAuthenticated : group,
    readonly,
    apiGroup: "*",
    resource: resource || "*",
    namespace: namespace || "*",
    nonResourcePath: namespace === "" && resource === "" ? "*" : "",
  };
}

function matches(policy: Policy, attributes: Attributes): boolean {
  if (!matchesSubject(policy, attributes.user)) return false;
  if (policy.readonly && !readVerbs.includes(attributes.verb)) return false;
  if (!attributes.isResourceRequest) {
    return policy.nonResourcePath !== "" && pathCovers(policy.nonResourcePath, attributes.path);
  }
  const covers = (wanted: string, value: string): boolean => wanted === "*" || wanted === value;
  return (
    covers(policy.namespace, attributes.namespace) &&
    covers(policy.resource, attributes.resource) &&
    covers(policy.apiGroup, attributes.apiGroup)
  );
}

/** User and group must both match if both are set; a policy without either matches no user. */
function matchesSubject({ user, group }: Policy, { name, groups }: UserInfo): boolean {
  if (user === "" && group === "") return false;
  if (user !== "" && user !== name) return false;
  return group === "" || groups.includes(group);
}
