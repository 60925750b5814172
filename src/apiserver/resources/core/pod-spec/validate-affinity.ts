import type {
  Affinity,
  NodeAffinity,
  PodAffinity,
  PodAffinityTerm,
  PodSpec,
} from "#/api/core/v1.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelName, validateLabelSelector } from "#/machinery/meta/label-selector.ts";
import { nameIsDNSLabel } from "#/machinery/meta/names.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import { validateNodeSelector, validateNodeSelectorTerm } from "../../rules/node-selector.ts";
import type { ValidationScope } from "./base/validation-scope.ts";
import { validateMergedLabelKeys } from "./validate-topology-spread.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

/** Checks a Pod's affinity to nodes and to other Pods. */
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
  if (selector) {
    report.add(validateNodeSelector(selector, path.child(required), { allowInvalidValues }));
  }
  affinity[preferred]?.forEach(({ weight, preference }, index) => {
    const at = path.child(preferred).index(index);
    validateWeight(report, at, weight);
    const options = { allowInvalidValues: true };
    report.add(validateNodeSelectorTerm(preference, at.child("preference"), options));
  });
}

function validateWeight(report: FieldReport, path: FieldPath, weight: number): void {
  if (weight < 1 || weight > 100) {
    report.invalid(path, "weight", weight, "must be in the range 1-100");
  }
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

/** Every Pod affinity and anti-affinity term, required and preferred. */
export function podAffinityTerms({ affinity }: PodSpec): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((one) => [
    ...(one?.[required] ?? []),
    ...(one?.[preferred] ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}

/** Whether a selector of a term is invalid. */
export function hasInvalidSelector({ labelSelector, namespaceSelector }: PodAffinityTerm): boolean {
  const path = fieldPath("term");
  return [labelSelector, namespaceSelector].some(
    (selector) => validateLabelSelector(selector, path).length > 0,
  );
}
