import type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  PodSpec,
} from "#/api/core/v1.ts";
import { JsonValue } from "#/machinery/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/field-path.ts";
import { validateLabelName, validateLabelSelector } from "#/machinery/label-selector.ts";
import { isLabelValue, nameIsDNSLabel, nameIsDNSSubdomain } from "#/machinery/names.ts";
import type { FieldReport } from "./field-report.ts";
import { validateMergedLabelKeys } from "./validate-topology-spread.ts";
import type { ValidationScope } from "./validation-scope.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

/** Checks which nodes and neighbours a pod wants. */
export function validateAffinity(
  affinity: Affinity | undefined,
  path: FieldPath,
  { report, options }: ValidationScope,
): void {
  if (affinity === undefined) return;
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  if (nodeAffinity) {
    const allowInvalid = options.allowInvalidLabelValueInNodeAffinity;
    validateNodeAffinity(report, path.child("nodeAffinity"), nodeAffinity, allowInvalid);
  }
  const allowInvalid = options.allowInvalidLabelValueInSelector;
  if (podAffinity) {
    validatePodAffinity(report, path.child("podAffinity"), podAffinity, allowInvalid);
  }
  if (podAntiAffinity) {
    validatePodAffinity(report, path.child("podAntiAffinity"), podAntiAffinity, allowInvalid);
  }
}

function validateNodeAffinity(
  report: FieldReport,
  path: FieldPath,
  affinity: NodeAffinity,
  allowInvalidValues: boolean,
): void {
  const selector = affinity[required];
  if (selector) validateNodeSelector(report, path.child(required), selector, allowInvalidValues);
  affinity[preferred]?.forEach(({ weight, preference }, index) => {
    const at = path.child(preferred).index(index);
    validateWeight(report, at, weight);
    validateNodeSelectorTerm(report, at.child("preference"), preference, true);
  });
}

function validateWeight(report: FieldReport, path: FieldPath, weight: number): void {
  if (weight < 1 || weight > 100) {
    report.invalid(path, "weight", weight, "must be in the range 1-100");
  }
}

/** Checks a selector of nodes, any of whose terms may match. */
export function validateNodeSelector(
  report: FieldReport,
  path: FieldPath,
  { nodeSelectorTerms = [] }: NodeSelector,
  allowInvalidValues: boolean,
): void {
  if (nodeSelectorTerms.length === 0) {
    report.required(path, "nodeSelectorTerms", "must have at least one node selector term");
  }
  nodeSelectorTerms.forEach((term, index) => {
    const at = path.child("nodeSelectorTerms").index(index);
    validateNodeSelectorTerm(report, at, term, allowInvalidValues);
  });
}

function validateNodeSelectorTerm(
  report: FieldReport,
  path: FieldPath,
  { matchExpressions, matchFields }: NodeSelectorTerm,
  allowInvalidValues: boolean,
): void {
  matchExpressions?.forEach((requirement, index) => {
    const at = path.child("matchExpressions").index(index);
    validateRequirement(report, at, requirement, allowInvalidValues);
  });
  matchFields?.forEach((requirement, index) => {
    validateFieldRequirement(report, path.child("matchFields").index(index), requirement);
  });
}

function validateRequirement(
  report: FieldReport,
  path: FieldPath,
  { key, operator, values = [] }: NodeSelectorRequirement,
  allowInvalidValues: boolean,
): void {
  validateValueCount(report, path, operator, values.length);
  report.add(validateLabelName(key, path.child("key")));
  if (allowInvalidValues) return;
  values.forEach((value, index) => {
    const problems = isLabelValue(value);
    if (problems.length === 0) return;
    report.problems(path.child("values").index(index), "", value, problems);
  });
}

function validateValueCount(
  report: FieldReport,
  path: FieldPath,
  operator: string,
  count: number,
): void {
  switch (operator) {
    case "In":
    case "NotIn":
      if (count > 0) return;
      report.required(path, "values", "must be specified when `operator` is 'In' or 'NotIn'");
      return;
    case "Exists":
    case "DoesNotExist":
      if (count === 0) return;
      report.forbidden(
        path,
        "values",
        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      );
      return;
    case "Gt":
    case "Lt":
      if (count === 1) return;
      report.required(
        path,
        "values",
        "must be specified single value when `operator` is 'Lt' or 'Gt'",
      );
      return;
    default:
      report.invalid(path, "operator", new JsonValue(operator), "not a valid selector operator");
  }
}

/** Of a node's fields, its name alone can be selected by. */
function validateFieldRequirement(
  report: FieldReport,
  path: FieldPath,
  { key, operator, values = [] }: NodeSelectorRequirement,
): void {
  if (operator !== "In" && operator !== "NotIn") {
    report.invalid(path, "operator", new JsonValue(operator), "not a valid selector operator");
  } else if (values.length !== 1) {
    const detail =
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    report.required(path, "values", detail);
  }
  if (key !== "metadata.name") {
    report.invalid(path, "key", key, "not a valid field selector key");
    return;
  }
  values.forEach((value, index) => {
    const problems = nameIsDNSSubdomain(value, false);
    report.problems(path.child("values").index(index), "", value, problems);
  });
}

function validatePodAffinity(
  report: FieldReport,
  path: FieldPath,
  affinity: PodAffinity,
  allowInvalidValues: boolean,
): void {
  affinity[required]?.forEach((term, index) => {
    validateTerm(report, path.child(required).index(index), term, allowInvalidValues);
  });
  affinity[preferred]?.forEach(({ weight, podAffinityTerm }, index) => {
    const at = path.child(preferred).index(index);
    validateWeight(report, at, weight);
    validateTerm(report, at.child("podAffinityTerm"), podAffinityTerm, allowInvalidValues);
  });
}

function validateTerm(
  report: FieldReport,
  path: FieldPath,
  term: PodAffinityTerm,
  allowInvalidValues: boolean,
): void {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey } = term;
  const options = { allowInvalidValues };
  report.add(validateLabelSelector(labelSelector, path.child("labelSelector"), options));
  report.add(validateLabelSelector(namespaceSelector, path.child("namespaceSelector"), options));
  for (const namespace of namespaces) {
    report.problems(path, "namespace", namespace, nameIsDNSLabel(namespace, false));
  }
  report.add(validateMergedLabelKeys(term, path));
  if (!topologyKey) report.required(path, "topologyKey", "can not be empty");
  report.add(validateLabelName(topologyKey, path.child("topologyKey")));
}

/** Every term about neighbours, of whatever kind. */
export function podAffinityTerms({ affinity }: PodSpec): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((one) => [
    ...(one?.[required] ?? []),
    ...(one?.[preferred] ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}

/** Whether one of a term's selectors is wrong. */
export function hasInvalidSelector({ labelSelector, namespaceSelector }: PodAffinityTerm): boolean {
  const path = fieldPath("term");
  return [labelSelector, namespaceSelector].some(
    (selector) => validateLabelSelector(selector, path).length > 0,
  );
}
