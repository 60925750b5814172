import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "#/api/core/v1.ts";
import { type FieldError, invalid, JsonValue, required } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isStandardQuotaResource } from "../rules/quantity-rules.ts";

/**
 * Scopes of a quota, and the resources that each allows.
 *
 * Upstream: pkg/apis/core/validation/validation.go, pkg/apis/core/helper/helpers.go.
 */

const podCompute: ReadonlySet<string> = new Set([
  "pods",
  "cpu",
  "memory",
  "limits.cpu",
  "limits.memory",
  "requests.cpu",
  "requests.memory",
]);
const pods: ReadonlySet<string> = new Set(["pods"]);
const claims: ReadonlySet<string> = new Set(["persistentvolumeclaims", "requests.storage"]);

/** The resources that a quota with each scope may have. */
const resourcesByScope: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["Terminating", podCompute],
  ["NotTerminating", podCompute],
  ["NotBestEffort", podCompute],
  ["PriorityClass", podCompute],
  ["CrossNamespacePodAffinity", podCompute],
  ["BestEffort", pods],
  ["VolumeAttributesClass", claims],
]);

const conflicting = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

/** Validation errors of the scopes of a quota, in scopes and scopeSelector. */
export function validateQuotaScopes(spec: ResourceQuotaSpec, path: FieldPath): FieldError[] {
  return [
    ...validateScopes(spec, path.child("scopes")),
    ...(spec.scopeSelector
      ? validateSelector(spec, path.child("scopeSelector").child("matchExpressions"))
      : []),
  ];
}

function validateScopes(spec: ResourceQuotaSpec, path: FieldPath): FieldError[] {
  const { scopes = [] } = spec;
  const errors = scopes.flatMap((scope) => [
    ...(resourcesByScope.has(scope) ? [] : [invalid(path, scopes, "unsupported scope")]),
    ...unfitResources(spec, scope).map(() =>
      invalid(path, scopes, "unsupported scope applied to resource"),
    ),
  ]);
  return [...errors, ...validateConflicts(scopes, scopes, path)];
}

function validateSelector(spec: ResourceQuotaSpec, path: FieldPath): FieldError[] {
  const { scopeSelector, scopes } = spec;
  const { matchExpressions = [] } = scopeSelector ?? {};
  const errors = matchExpressions.flatMap((requirement) => {
    const scope = requirement.scopeName;
    return [
      ...(resourcesByScope.has(scope)
        ? []
        : [invalid(path.child("scopeName"), new JsonValue(scope), "unsupported scope")]),
      ...unfitResources(spec, scope).map(() =>
        // Upstream shows its internal type, whose fields have no JSON names.
        invalid(path, internalSelector(matchExpressions), "unsupported scope applied to resource"),
      ),
      ...validateRequirement(requirement, path),
    ];
  });
  const names = matchExpressions.map(({ scopeName }) => scopeName);
  return [...errors, ...validateConflicts(names, scopes ?? null, path)];
}

function internalSelector(expressions: readonly ScopedResourceSelectorRequirement[]): object {
  return {
    MatchExpressions: expressions.map(({ scopeName, operator, values }) => ({
      ScopeName: scopeName,
      Operator: operator,
      Values: values ?? null,
    })),
  };
}

function validateRequirement(
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const at = path.child("operator");
  const takesValues = scopeName === "PriorityClass" || scopeName === "VolumeAttributesClass";
  if (resourcesByScope.has(scopeName) && !takesValues && operator !== "Exists") {
    const detail =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    errors.push(invalid(at, new JsonValue(operator), detail));
  }
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      const detail =
        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      errors.push(required(path.child("values"), detail));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      const detail =
        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      errors.push(invalid(path.child("values"), values, detail));
    }
  } else errors.push(invalid(at, new JsonValue(operator), "not a valid selector operator"));
  return errors;
}

function unfitResources({ hard }: ResourceQuotaSpec, scope: string): string[] {
  const allowed = resourcesByScope.get(scope);
  if (!allowed) return [];
  return Object.keys(hard ?? {}).filter(
    (name) => isStandardQuotaResource(name) && !allowed.has(name),
  );
}

function validateConflicts(
  scopes: readonly string[],
  shown: readonly string[] | null,
  path: FieldPath,
): FieldError[] {
  return conflicting
    .filter(([one, other]) => scopes.includes(one) && scopes.includes(other))
    .map(() => invalid(path, shown, "conflicting scopes"));
}
