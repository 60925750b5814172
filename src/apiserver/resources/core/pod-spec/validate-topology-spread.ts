import type { TopologySpreadConstraint } from "#/api/core/v1.ts";
import type { LabelSelector } from "#/api/meta/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelName, validateLabelSelector } from "#/machinery/meta/label-selector.ts";
import { FieldReport } from "../../rules/field-report.ts";
import type { ValidationScope } from "./base/validation-scope.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

const actions = ["DoNotSchedule", "ScheduleAnyway"];
const nodePolicies = ["Honor", "Ignore"];
const notPositive = "must be greater than zero";

/** Checks the topology spread constraints. */
export function validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[] | undefined,
  path: FieldPath,
  scope: ValidationScope,
): void {
  if (!constraints) return;
  const last = new Map(constraints.map((constraint, index) => [identity(constraint), index]));
  constraints.forEach((constraint, index) => {
    const isRepeated = last.get(identity(constraint)) !== index;
    validateConstraint(constraint, isRepeated, path.index(index), scope);
  });
}

const identity = ({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string =>
  JSON.stringify([topologyKey, whenUnsatisfiable]);

function validateConstraint(
  constraint: TopologySpreadConstraint,
  isRepeatedLater: boolean,
  path: FieldPath,
  { report, options }: ValidationScope,
): void {
  const { maxSkew, topologyKey, whenUnsatisfiable: action, labelSelector } = constraint;
  if (maxSkew <= 0) report.invalid(path, "maxSkew", maxSkew, notPositive);
  if (!topologyKey) report.required(path, "topologyKey", "can not be empty");
  if (!actions.includes(action)) report.notSupported(path, "whenUnsatisfiable", action, actions);
  if (isRepeatedLater) {
    report.duplicate(path, "{topologyKey, whenUnsatisfiable}", `{${topologyKey}, ${action}}`);
  }
  validateMinDomains(report, path, constraint);
  for (const field of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
    const policy = constraint[field];
    if (policy === undefined || nodePolicies.includes(policy)) continue;
    report.notSupported(path, field, policy, nodePolicies);
  }
  const validateKeys = options.labelKeysAreMerged
    ? validateMergedLabelKeys
    : validateSeparateLabelKeys;
  report.add(validateKeys(constraint, path));
  if (options.allowInvalidSpreadSelector) return;
  report.add(validateLabelSelector(labelSelector, path.child("labelSelector")));
}

function validateMinDomains(
  report: FieldReport,
  path: FieldPath,
  { minDomains, whenUnsatisfiable: action }: TopologySpreadConstraint,
): void {
  if (minDomains === undefined) return;
  if (minDomains <= 0) report.invalid(path, "minDomains", minDomains, notPositive);
  if (action === "DoNotSchedule") return;
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  report.invalid(path, "minDomains", minDomains, detail);
}

/** Label keys whose values distinguish Pods, and the selector that they extend. */
interface LabelKeys {
  readonly labelSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

const twice = "exists in both matchLabelKeys and labelSelector";

/** Checks label keys that the server has merged into the selector, each once. */
export function validateMergedLabelKeys(keys: LabelKeys, path: FieldPath): FieldError[] {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = keys;
  if (matchLabelKeys.length === 0 && mismatchLabelKeys.length === 0) return [];
  const report = new FieldReport();
  validateKeys(report, path, "matchLabelKeys", keys);
  validateKeys(report, path, "mismatchLabelKeys", keys);
  if (labelSelector) {
    const seen = new Set(Object.keys(labelSelector.matchLabels ?? {}));
    const lastIndices = new Map(matchLabelKeys.map((key, index) => [key, index]));
    for (const { key } of labelSelector.matchExpressions ?? []) {
      const index = lastIndices.get(key);
      if (index !== undefined && seen.has(key)) report.invalid(path.index(index), "", key, twice);
      seen.add(key);
    }
  }
  const mismatching = new Set(mismatchLabelKeys);
  matchLabelKeys.forEach((key, index) => {
    if (!mismatching.has(key)) return;
    const detail = "exists in both matchLabelKeys and mismatchLabelKeys";
    report.invalid(path.child("matchLabelKeys").index(index), "", key, detail);
  });
  return report.errors;
}

function validateKeys(
  report: FieldReport,
  path: FieldPath,
  field: "matchLabelKeys" | "mismatchLabelKeys",
  given: LabelKeys,
): void {
  const keys = given[field] ?? [];
  if (keys.length === 0) return;
  if (given.labelSelector === undefined) {
    report.forbidden(path, field, "must not be specified when labelSelector is not set");
    return;
  }
  keys.forEach((key, index) => {
    report.add(validateLabelName(key, path.child(field).index(index)));
  });
}

/** Checks label keys that may not occur in the selector. */
export function validateSeparateLabelKeys(
  { labelSelector, matchLabelKeys = [] }: LabelKeys,
  parent: FieldPath,
): FieldError[] {
  if (matchLabelKeys.length === 0) return [];
  const report = new FieldReport();
  const path = parent.child("matchLabelKeys");
  if (labelSelector === undefined) {
    report.forbidden(path, "", "must not be specified when labelSelector is not set");
  }
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key } of labelSelector?.matchExpressions ?? []) selected.add(key);
  matchLabelKeys.forEach((key, index) => {
    report.add(validateLabelName(key, path.index(index)));
    if (selected.has(key)) report.invalid(path.index(index), "", key, twice);
  });
  return report.errors;
}
