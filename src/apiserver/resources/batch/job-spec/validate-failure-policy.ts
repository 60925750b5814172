import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from "#/api/batch/v1.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isQualifiedName } from "#/machinery/meta/names.ts";
import { repeatedIndices } from "#/std/base/by-key.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { FieldReport } from "../../rules/field-report.ts";

/** Validation of the Pod failure policy. Upstream: pkg/apis/batch/validation/validation.go. */

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];
const maxRules = 20;
const maxExitCodes = 255;
const maxPatterns = 20;

const validValues = (values: readonly string[]): string =>
  `valid values: [${values.map(goQuote).join(" ")}]`;

/** Checks the rules of a Pod failure policy. */
export function validateFailurePolicy(report: FieldReport, path: FieldPath, spec: JobSpec): void {
  const { rules = [] } = spec.podFailurePolicy ?? {};
  if (rules.length > maxRules) {
    report.tooMany(path, "rules", { actual: rules.length, max: maxRules });
  }
  const { containers = [], initContainers = [] } = spec.template.spec;
  const names = new Set([...containers, ...initContainers].map(({ name }) => name));
  rules.forEach((rule, index) => {
    validateRule(report, path.child("rules").index(index), rule, { spec, names });
  });
}

interface Scope {
  readonly spec: JobSpec;
  readonly names: ReadonlySet<string>;
}

function validateRule(
  report: FieldReport,
  path: FieldPath,
  { action, onExitCodes, onPodConditions = [] }: PodFailurePolicyRule,
  { spec, names }: Scope,
): void {
  if ((action as string) === "") report.required(path, "action", validValues(actions));
  else if (action === "FailIndex") {
    const detail = "requires the backoffLimitPerIndex to be set";
    if (spec.backoffLimitPerIndex === undefined) {
      report.invalid(path, "action", new JsonValue(action), detail);
    }
  } else if (!actions.includes(action)) report.notSupported(path, "action", action, actions);
  if (onExitCodes) validateExitCodes(report, path.child("onExitCodes"), onExitCodes, names);
  if (onPodConditions.length > 0) {
    validateConditions(report, path.child("onPodConditions"), onPodConditions);
  }
  if (onExitCodes && onPodConditions.length > 0) {
    const detail = "specifying both OnExitCodes and OnPodConditions is not supported";
    report.invalid(path, "", undefined, detail);
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    const detail = "specifying one of OnExitCodes and OnPodConditions is required";
    report.invalid(path, "", undefined, detail);
  }
}

function validateConditions(
  report: FieldReport,
  path: FieldPath,
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
): void {
  if (patterns.length > maxPatterns) {
    report.tooMany(path, "", { actual: patterns.length, max: maxPatterns });
  }
  patterns.forEach(({ type, status }, index) => {
    const at = path.index(index);
    report.problems(at, "type", type, isQualifiedName(type));
    if ((status as string) === "") report.required(at, "status", validValues(statuses));
    else if (!statuses.includes(status)) report.notSupported(at, "status", status, statuses);
  });
}

function validateExitCodes(
  report: FieldReport,
  path: FieldPath,
  { operator, containerName, values: given }: Partial<PodFailurePolicyOnExitCodesRequirement>,
  names: ReadonlySet<string>,
): void {
  const values = given ?? [];
  if (!operator) report.required(path, "operator", validValues(operators));
  else if (!operators.includes(operator)) {
    report.notSupported(path, "operator", operator, operators);
  }
  if (containerName !== undefined && !names.has(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    report.invalid(path, "containerName", containerName, detail);
  }
  const at = path.child("values");
  if (values.length === 0) {
    report.invalid(at, "", new JsonValue(given ?? null), "at least one value is required");
  } else if (values.length > maxExitCodes) {
    report.tooMany(at, "", { actual: values.length, max: maxExitCodes });
  }
  const repeated = repeatedIndices(values);
  values.forEach((value, index) => {
    if (operator === "In" && value === 0) {
      report.invalid(at.index(index), "", value, "must not be 0 for the In operator");
    }
    if (repeated.has(index)) report.duplicate(at.index(index), "", value);
  });
  if (values.some((value, index) => index > 0 && (values[index - 1] ?? 0) > value)) {
    report.invalid(at, "", new JsonValue(values), "must be ordered");
  }
}
