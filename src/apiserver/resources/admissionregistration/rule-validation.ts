import type {
  MatchResources,
  NamedRuleWithOperations,
  RuleWithOperations,
} from "#/api/admissionregistration/v1.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  JsonValue,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelSelector } from "#/machinery/meta/label-selector.ts";
import { isPathSegmentName } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";

/**
 * Rules that select requests for webhooks and policies.
 *
 * Upstream: pkg/apis/admissionregistration/validation/validation.go.
 */

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const mutatingOperations = ["*", "CONNECT", "CREATE", "UPDATE"];
const scopes = ["*", "Cluster", "Namespaced"];
/** Whether a rule matches the named resource only, or its other versions too. */
export const matchPolicies = ["Equivalent", "Exact"];

/** Validation errors of a rule. */
export function validateRule(rule: RuleWithOperations, path: FieldPath): FieldError[] {
  const { operations: given = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const errors = [
    ...validateWildcards(given, path.child("operations"), "operations"),
    ...given.flatMap((operation, index) =>
      operations.includes(operation)
        ? []
        : [unsupported(path.child("operations").index(index), operation, operations)],
    ),
    ...validateWildcards(apiGroups, path.child("apiGroups"), "API groups"),
    ...validateWildcards(apiVersions, path.child("apiVersions"), "API versions"),
    ...apiVersions.flatMap((version, index) =>
      version === "" ? [required(path.child("apiVersions").index(index))] : [],
    ),
    ...validateResources(resources, path.child("resources")),
  ];
  if (scope !== undefined && !scopes.includes(scope)) {
    errors.push(unsupported(path.child("scope"), scope, scopes));
  }
  return errors;
}

/** A value of an enumeration that has its own Go type. */
export const unsupported = (
  path: FieldPath,
  value: string,
  allowed: readonly string[],
): FieldError => notSupported(path, new JsonValue(value), allowed);

function validateWildcards(list: readonly string[], path: FieldPath, noun: string): FieldError[] {
  if (list.length === 0) return [required(path)];
  if (list.length === 1 || !list.includes("*")) return [];
  return [invalid(path, list, `if '*' is present, must not specify other ${noun}`)];
}

function validateResources(resources: readonly string[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = resources.length === 0 ? [required(path)] : [];
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  let plain = false;
  resources.forEach((pattern, index) => {
    const at = path.index(index);
    if (pattern === "") {
      errors.push(required(at));
      return;
    }
    const slash = pattern.indexOf("/");
    if (slash < 0) {
      plain = pattern !== "*";
      return;
    }
    const [resource, subresource] = [pattern.slice(0, slash), pattern.slice(slash + 1)];
    const refuse = (present: string): void => {
      errors.push(invalid(at, pattern, `if '${present}' is present, must not specify ${pattern}`));
    };
    if (wholeResources.has(resource)) refuse(`${resource}/*`);
    if (wholeSubresources.has(subresource)) refuse(`*/${subresource}`);
    if (subresource === "*") wholeResources.add(resource);
    if (resource === "*") wholeSubresources.add(subresource);
  });
  if (resources.length > 1 && resources.includes("*/*")) {
    const detail = "if '*/*' is present, must not specify other resources";
    errors.push(invalid(path, resources, detail));
  }
  if (resources.includes("*") && plain) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalid(path, resources, detail));
  }
  return errors;
}

/** Validation errors of the match constraints of a policy or binding. */
export function validateMatchResources(
  { matchPolicy, namespaceSelector, objectSelector, ...rules }: MatchResources,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (matchPolicy === undefined) errors.push(required(path.child("matchPolicy")));
  else if (!matchPolicies.includes(matchPolicy)) {
    errors.push(unsupported(path.child("matchPolicy"), matchPolicy, matchPolicies));
  }
  const selectors = { namespaceSelector, objectSelector };
  for (const [field, selector] of Object.entries(selectors)) {
    const at = path.child(field);
    append(errors, selector ? validateLabelSelector(selector, at) : [required(at)]);
  }
  const named = (list: readonly NamedRuleWithOperations[], field: string): FieldError[] =>
    list.flatMap((rule, index) => validateNamedRule(rule, path.child(field).index(index)));
  return [
    ...errors,
    ...named(rules.resourceRules ?? [], "resourceRules"),
    ...named(rules.excludeResourceRules ?? [], "excludeResourceRules"),
  ];
}

function validateNamedRule(rule: NamedRuleWithOperations, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  (rule.resourceNames ?? []).forEach((name, index) => {
    const at = path.child("resourceNames").index(index);
    for (const problem of isPathSegmentName(name)) errors.push(invalid(at, name, problem));
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
  });
  return [...errors, ...validateRule(rule, path)];
}

/** A mutating policy may not match deletions: a deleted object cannot be changed. */
export function validateMutatingOperations(
  resources: MatchResources,
  path: FieldPath,
): FieldError[] {
  return (resources.resourceRules ?? [])
    .flatMap(({ operations: given = [] }) => given)
    .filter((operation) => !mutatingOperations.includes(operation))
    .map((operation) =>
      unsupported(path.child("resourceRules").child("operations"), operation, mutatingOperations),
    );
}
