import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from "#/api/core/v1.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  JsonValue,
  required,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelName } from "#/machinery/meta/label-selector.ts";
import { isLabelValue, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";

/**
 * Node selectors of Pods and PersistentVolumes.
 *
 * Upstream: pkg/apis/core/validation/validation.go, pkg/api/node/util.go.
 */

/** Whether invalid label values are accepted, for objects that already have such values. */
interface NodeSelectorOptions {
  readonly allowInvalidValues: boolean;
}

/** Validation errors of a node selector. */
export function validateNodeSelector(
  { nodeSelectorTerms: terms = [] }: Partial<NodeSelector>,
  path: FieldPath,
  options: NodeSelectorOptions,
): FieldError[] {
  const at = path.child("nodeSelectorTerms");
  if (terms.length === 0) return [required(at, "must have at least one node selector term")];
  return terms.flatMap((term, index) => validateNodeSelectorTerm(term, at.index(index), options));
}

/** Validation errors of one term; Pods also use terms as preferences. */
export function validateNodeSelectorTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  path: FieldPath,
  options: NodeSelectorOptions,
): FieldError[] {
  return [
    ...matchExpressions.flatMap((requirement, index) =>
      validateExpression(requirement, path.child("matchExpressions").index(index), options),
    ),
    ...matchFields.flatMap((requirement, index) =>
      validateField(requirement, path.child("matchFields").index(index)),
    ),
  ];
}

function validateExpression(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: FieldPath,
  { allowInvalidValues }: NodeSelectorOptions,
): FieldError[] {
  const errors = validateValueCount(operator, values.length, path);
  append(errors, validateLabelName(key, path.child("key")));
  if (allowInvalidValues) return errors;
  values.forEach((value, index) => {
    for (const problem of isLabelValue(value)) {
      errors.push(invalid(path.child("values").index(index), value, problem));
    }
  });
  return errors;
}

function validateValueCount(operator: string, count: number, path: FieldPath): FieldError[] {
  const at = path.child("values");
  switch (operator) {
    case "In":
    case "NotIn":
      if (count > 0) return [];
      return [required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (count === 0) return [];
      return [forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case "Gt":
    case "Lt":
      if (count === 1) return [];
      return [required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [unknownOperator(operator, path)];
  }
}

function validateField(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn") errors.push(unknownOperator(operator, path));
  else if (values.length !== 1) {
    const detail =
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(path.child("values"), detail));
  }
  if (key !== "metadata.name") {
    return [...errors, invalid(path.child("key"), key, "not a valid field selector key")];
  }
  values.forEach((value, index) => {
    for (const problem of nameIsDNSSubdomain(value, false)) {
      errors.push(invalid(path.child("values").index(index), value, problem));
    }
  });
  return errors;
}

const unknownOperator = (operator: string, path: FieldPath): FieldError =>
  invalid(path.child("operator"), new JsonValue(operator), "not a valid selector operator");

/** Whether a value in a selector is not a label value. */
export function hasInvalidValue(selector: NodeSelector | undefined): boolean {
  return (selector?.nodeSelectorTerms ?? []).some(({ matchExpressions = [] }) =>
    matchExpressions.some(({ values = [] }) =>
      values.some((value) => isLabelValue(value).length > 0),
    ),
  );
}

const deprecatedLabels: ReadonlyMap<string, string> = new Map([
  ["beta.kubernetes.io/arch", 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ["beta.kubernetes.io/os", 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  [
    "failure-domain.beta.kubernetes.io/region",
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  ],
  [
    "failure-domain.beta.kubernetes.io/zone",
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  ],
  [
    "beta.kubernetes.io/instance-type",
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  ],
  ["app.kubernetes.io/created-by", "deprecated since v1.9"],
  [
    "scheduler.alpha.kubernetes.io/preferAvoidPods",
    "deprecated since v1.22; use Taints and Tolerations instead",
  ],
  ["node-role.kubernetes.io/master", 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** The warning for a deprecated label; undefined if the label is not deprecated. */
export const deprecatedNodeLabel = (key: string): string | undefined => deprecatedLabels.get(key);

/** Warnings for a term: deprecated labels, and invalid values that are accepted. */
export function nodeSelectorTermWarnings(
  { matchExpressions = [] }: NodeSelectorTerm,
  path: FieldPath,
  { checkValues = false }: { readonly checkValues?: boolean } = {},
): string[] {
  return matchExpressions.flatMap(({ key, values = [] }, index) => {
    const at = path.child("matchExpressions").index(index);
    const message = deprecatedLabels.get(key);
    const ofKey = message === undefined ? [] : [`${at.child("key")}: ${key} is ${message}`];
    if (!checkValues) return ofKey;
    const ofValues = values.flatMap((value, place) =>
      isLabelValue(value).map(
        (problem) => `${at.child("values").index(place)}: ${value} is invalid, ${problem}`,
      ),
    );
    return [...ofKey, ...ofValues];
  });
}
