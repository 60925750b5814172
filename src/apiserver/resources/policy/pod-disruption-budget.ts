import {
  type PodDisruptionBudget,
  type PodDisruptionBudgetSpec,
  podDisruptionBudgets,
} from "#/api/policy/v1.ts";
import { validateConditions } from "#/machinery/meta/conditions.ts";
import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelSelector } from "#/machinery/meta/label-selector.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { FieldReport } from "../rules/field-report.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { keepSpec, keepStatus } from "../rules/keep-spec.ts";
import { validateAtMostWhole, validateIntOrPercent } from "../workloads/int-or-percent.ts";
import { shownSelector } from "../workloads/pod-template-rules.ts";

const specPath = fieldPath("spec");
const statusPath = fieldPath("status");
const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];
const counts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const;

/** Upstream: pkg/registry/policy/poddisruptionbudget/strategy.go, pkg/apis/policy/validation/validation.go. */
export const podDisruptionBudget = serve(podDisruptionBudgets, {
  allowUnconditionalUpdate: false,
  prepareForCreate(object) {
    object.status = {
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
    };
    startGeneration(object);
    dropOldLabel(object.spec, undefined);
  },
  prepareForUpdate(object, old) {
    keepStatus(object, old);
    countGeneration(object, old);
    dropOldLabel(object.spec, old.spec);
  },
  validate: ({ spec }) => validateSpec(spec, false),
  validateUpdate: ({ spec }, old) =>
    validateSpec(spec, validateLabelSelector(old.spec.selector, specPath).length > 0),
  resetFields: ["status"],
  status: {
    prepareForUpdate: keepSpec,
    validateUpdate: validateStatus,
    resetFields: ["spec"],
  },
  columns: [
    nameColumn,
    { name: "Min Available", type: "string", cell: ({ spec }) => count(spec.minAvailable) },
    { name: "Max Unavailable", type: "string", cell: ({ spec }) => count(spec.maxUnavailable) },
    {
      name: "Allowed Disruptions",
      type: "integer",
      cell: ({ status }) => status?.disruptionsAllowed ?? 0,
    },
    ageColumn,
  ],
});

const count = (value: number | string | undefined): string => String(value ?? "N/A");

/** Requirement that upstream adds to empty selectors of v1beta1, which select nothing; alone it is kept. */
const oldLabel = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";

function dropOldLabel(
  { selector }: PodDisruptionBudgetSpec,
  old: PodDisruptionBudgetSpec | undefined,
): void {
  if (!selector?.matchExpressions || (old && deepEqual(selector, old.selector))) return;
  const nothing = { matchExpressions: [{ key: oldLabel, operator: "Exists" }] };
  if (deepEqual(selector, nothing)) return;
  const kept = selector.matchExpressions.filter(({ key }) => key !== oldLabel);
  if (kept.length > 0) selector.matchExpressions = kept;
  else delete selector.matchExpressions;
}

function validateSpec(spec: PodDisruptionBudgetSpec, allowInvalidValues: boolean): FieldError[] {
  const report = new FieldReport();
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const detail = "minAvailable and maxUnavailable cannot be both set";
    report.invalid(specPath, "", new JsonValue(shownSpec(spec)), detail);
  }
  for (const field of ["minAvailable", "maxUnavailable"] as const) {
    const value = spec[field];
    if (value === undefined) continue;
    validateIntOrPercent(report, specPath, field, value);
    validateAtMostWhole(report, specPath, field, value);
  }
  report.add(validateLabelSelector(selector, specPath.child("selector"), { allowInvalidValues }));
  if (policy !== undefined && !evictionPolicies.includes(policy)) {
    report.notSupported(specPath, "unhealthyPodEvictionPolicy", policy, evictionPolicies);
  }
  return report.errors;
}

/** As messages show it: in the form of upstream's internal type. */
const shownSpec = (spec: PodDisruptionBudgetSpec): object => ({
  MinAvailable: spec.minAvailable ?? null,
  Selector: shownSelector(spec.selector).value,
  MaxUnavailable: spec.maxUnavailable ?? null,
  UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
});

function validateStatus({ status }: Decoded<PodDisruptionBudget>): FieldError[] {
  const report = new FieldReport();
  report.add(validateConditions(status?.conditions, statusPath.child("conditions")));
  for (const field of counts) report.nonNegative(statusPath, field, status?.[field]);
  return report.errors;
}
