import type { PolicyRule } from "#/api/rbac/v1.ts";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";

/**
 * The rules of a role. Upstream: pkg/apis/rbac/validation/validation.go. Declared rules of the types come last:
 * declaredErrors.
 */
export function validateRules(
  rules: readonly PolicyRule[] | undefined,
  namespaced: boolean,
): FieldError[] {
  return (rules ?? []).flatMap((rule, index) =>
    validateRule(rule, namespaced, fieldPath("rules").index(index)),
  );
}

function validateRule(rule: PolicyRule, namespaced: boolean, path: FieldPath): FieldError[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors: FieldError[] = [];
  if (nonResourceURLs.length > 0) {
    const at = path.child("nonResourceURLs");
    if (namespaced) {
      const detail = "namespaced rules cannot apply to non-resource URLs";
      errors.push(invalid(at, nonResourceURLs, detail));
    }
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
      const detail = "rules cannot apply to both regular resources and non-resource URLs";
      errors.push(invalid(at, nonResourceURLs, detail));
    }
    return errors;
  }
  if (apiGroups.length === 0) {
    const detail = "resource rules must supply at least one api group";
    errors.push(required(path.child("apiGroups"), detail));
  }
  if (resources.length === 0) {
    const detail = "resource rules must supply at least one resource";
    errors.push(required(path.child("resources"), detail));
  }
  return errors;
}

/** Errors of the declared rules of the types: a rule needs verbs. */
export function declaredErrors(rules: readonly PolicyRule[] | undefined): FieldError[] {
  return (rules ?? []).flatMap(({ verbs }, index) =>
    verbs?.length ? [] : [required(fieldPath("rules").index(index).child("verbs"))],
  );
}
