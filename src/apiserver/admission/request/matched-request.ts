import type { RuleWithOperations } from "#/api/admissionregistration/v1.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { Registry } from "../../registry/registry.ts";

/** A resource in a version, and the kind of its objects, as a webhook or policy has registered for them. */
export interface Target {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
}

type Request = Pick<Attributes, "operation" | "resource" | "subresource" | "namespace" | "kind">;

type Rule = Omit<RuleWithOperations, "operations"> & { readonly operations?: readonly string[] };

/** The request's own resource and kind. */
export const ownTarget = ({ resource, kind }: Pick<Request, "resource" | "kind">): Target => ({
  group: resource.group,
  version: resource.version,
  resource: resource.name,
  kind,
});

/**
 * The version, if any, in which rules match a request: the request's own one before equivalent
 * ones. Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/generic/webhook.go.
 */
export function findTarget(
  rules: readonly Rule[],
  request: Request,
  equivalents: () => Iterable<Target>,
): Target | undefined {
  const own = ownTarget(request);
  if (rules.some((rule) => ruleMatches(rule, request, own))) return own;
  for (const rule of rules) {
    for (const target of equivalents()) {
      if (ruleMatches(rule, request, target)) return target;
    }
  }
  return undefined;
}

/** The other versions in which the objects of a request are served. */
export function equivalentTargets(registry: Registry, request: Request): Target[] {
  const { resource, kind } = request;
  const served = registry.catalog.findResource(resource.group, resource.name);
  return [...(served?.versions.values() ?? [])]
    .map(({ version }) => version.handle)
    .filter(({ group, version }) => group !== resource.group || version !== resource.version)
    .map((handle) => ({
      group: handle.group,
      version: handle.version,
      resource: handle.name,
      kind: kind.kind === resource.kind ? handle : kind,
    }));
}

/**
 * Whether a rule matches a request for a resource.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules/rules.go.
 */
export function ruleMatches(rule: Rule, request: Request, target: Target): boolean {
  return (
    scopeMatches(rule.scope, request.namespace, target) &&
    includes(rule.operations, request.operation) &&
    includes(rule.apiGroups, target.group) &&
    includes(rule.apiVersions, target.version) &&
    (rule.resources ?? []).some((pattern) => resourceMatches(pattern, target, request.subresource))
  );
}

function scopeMatches(scope: string | undefined, namespace: string, target: Target): boolean {
  if (scope === undefined || scope === "*") return true;
  const inNamespace =
    namespace !== "" && !(target.resource === "namespaces" && target.group === "");
  return scope === "Namespaced" ? inNamespace : scope === "Cluster" && !inNamespace;
}

const includes = (list: readonly string[] | undefined, value: string): boolean =>
  list?.some((item) => item === "*" || item === value) ?? false;

function resourceMatches(pattern: string, { resource }: Target, subresource: string): boolean {
  const slash = pattern.indexOf("/");
  const name = slash < 0 ? pattern : pattern.slice(0, slash);
  const part = slash < 0 ? "" : pattern.slice(slash + 1);
  return (name === "*" || name === resource) && (part === "*" || part === subresource);
}

/** Resources of authentication and authorization: no webhook or policy is called for them. */
const reviews = new Set([
  "authentication.k8s.io/selfsubjectreviews",
  "authentication.k8s.io/tokenreviews",
  "authorization.k8s.io/localsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
  "authorization.k8s.io/subjectaccessreviews",
]);

const configurationKinds = new Set([
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
]);

/** Whether a request is exempt from webhooks and policies, so that a cluster can't lock itself out. */
export function isExempt({ kind, resource }: Pick<Request, "kind" | "resource">): boolean {
  if (reviews.has(`${resource.group}/${resource.name}`)) return true;
  return kind.group === "admissionregistration.k8s.io" && configurationKinds.has(kind.kind);
}
