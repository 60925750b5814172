import type {
  HorizontalPodAutoscalerBehavior,
  HPAScalingPolicy,
  HPAScalingRules,
} from "#/api/autoscaling/v2.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { negativeMessage } from "#/machinery/meta/names.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import type { FieldReport } from "../rules/field-report.ts";

/** Validation of scaling rates. Upstream: pkg/apis/autoscaling/validation/validation.go. */

const maxPeriodSeconds = 1800;
const maxWindowSeconds = 3600;
const selections = ["Disabled", "Max", "Min"];
const policyTypes = ["Percent", "Pods"];

/** Checks the rules for scaling up and down. */
export function validateBehavior(
  report: FieldReport,
  path: FieldPath,
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
): void {
  if (scaleUp) validateRules(report, path.child("scaleUp"), scaleUp);
  if (scaleDown) validateRules(report, path.child("scaleDown"), scaleDown);
}

function validateRules(report: FieldReport, path: FieldPath, rules: HPAScalingRules): void {
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules;
  if (window < 0) {
    const detail = "must be greater than or equal to zero";
    report.invalid(path, "stabilizationWindowSeconds", window, detail);
  }
  if (window > maxWindowSeconds) {
    const detail = `must be less than or equal to ${maxWindowSeconds}`;
    report.invalid(path, "stabilizationWindowSeconds", window, detail);
  }
  if (selectPolicy !== undefined && !selections.includes(selectPolicy)) {
    report.notSupported(path, "selectPolicy", selectPolicy, selections);
  }
  if (policies.length === 0) report.required(path, "policies", "must specify at least one Policy");
  policies.forEach((policy, index) => {
    validatePolicy(report, path.child("policies").index(index), policy);
  });
  if (tolerance !== undefined && parseQuantity(tolerance).sign < 0) {
    report.invalid(path, "tolerance", tolerance, negativeMessage);
  }
}

function validatePolicy(report: FieldReport, path: FieldPath, policy: HPAScalingPolicy): void {
  const { type, value, periodSeconds } = policy;
  if (!policyTypes.includes(type)) report.notSupported(path, "type", type, policyTypes);
  if (value <= 0) report.invalid(path, "value", value, "must be greater than zero");
  if (periodSeconds <= 0) {
    report.invalid(path, "periodSeconds", periodSeconds, "must be greater than zero");
  }
  if (periodSeconds > maxPeriodSeconds) {
    const detail = `must be less than or equal to ${maxPeriodSeconds}`;
    report.invalid(path, "periodSeconds", periodSeconds, detail);
  }
}
