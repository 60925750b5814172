import type { LabelSelector, LabelSelectorRequirement } from "#/api/meta/v1.ts";
import { append } from "#/std/base/append.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import {
  type ErrorPath,
  type FieldError,
  forbidden,
  invalid,
  JsonValue,
  required,
} from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import {
  everything,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  labelRequirement,
  nothing,
  Selector,
  SelectorError,
} from "./labels.ts";
import { isLabelValue, isQualifiedName } from "./names.ts";

/**
 * Compiles, validates and creates the structured form of label selectors (metav1.LabelSelector).
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go,
 * staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go.
 */
const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/**
 * Compiles a selector: undefined selects nothing, an empty one everything. Throws SelectorError.
 */
export function compileLabelSelector(selector: LabelSelector | undefined): Selector {
  if (selector === undefined) return nothing;
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push(labelRequirement(key, "=", [value]));
  }
  for (const { key, operator: name, values = [] } of selector.matchExpressions ?? []) {
    const operator = operators.get(name);
    if (operator === undefined) {
      throw new SelectorError(`${goQuote(name)} is not a valid label selector operator`);
    }
    requirements.push(labelRequirement(key, operator, values));
  }
  return requirements.length === 0 ? everything : new Selector(requirements);
}

/** The text of a selector, as kubectl shows it. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  try {
    return compileLabelSelector(selector).toString() || "<none>";
  } catch (error) {
    if (error instanceof SelectorError) return "<error>";
    throw error;
  }
}

/** The structured form of a selector. Throws SelectorError for operators that it cannot express. */
export function toLabelSelector(selector: Selector): Required<LabelSelector> {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: LabelSelectorRequirement[] = [];
  for (const { key, operator, values } of selector.requirements) {
    if (operator === "=" || operator === "==") {
      matchLabels[key] = values[0] ?? "";
      continue;
    }
    const name = [...operators].find(([, short]) => short === operator)?.[0];
    if (name === undefined) {
      const reason =
        operator === "!="
          ? "is not a valid label selector operator"
          : "isn't supported in label selectors";
      throw new SelectorError(`${goQuote(operator)} ${reason}`);
    }
    matchExpressions.push({ key, operator: name, values: [...values].sort() });
  }
  return { matchLabels, matchExpressions };
}

/** Exceptions from validation. */
interface LabelSelectorOptions {
  /** Accept invalid label values, for objects that already have them. */
  readonly allowInvalidValues?: boolean;
  readonly allowUnknownOperators?: boolean;
}

/** Whether an expression has an invalid label value. */
export function hasInvalidLabelValue(selector: LabelSelector | undefined): boolean {
  return (selector?.matchExpressions ?? []).some(({ values = [] }) =>
    values.some((value) => isLabelValue(value).length > 0),
  );
}

/** Validates a selector. */
export function validateLabelSelector(
  selector: LabelSelector | undefined,
  path: FieldPath,
  options: LabelSelectorOptions = {},
): FieldError[] {
  if (selector === undefined) return [];
  const errors = validateLabels(selector.matchLabels, path.child("matchLabels"));
  selector.matchExpressions?.forEach((expression, index) => {
    const at = path.child("matchExpressions").index(index);
    append(errors, validateExpression(expression, at, options));
  });
  return errors;
}

function validateExpression(
  { key, operator, values = [] }: LabelSelectorRequirement,
  path: FieldPath,
  options: LabelSelectorOptions,
): FieldError[] {
  const errors = validateOperator(operator, values, path, options);
  append(errors, validateLabelName(key, path.child("key")));
  if (options.allowInvalidValues) return errors;
  values.forEach((value, index) => {
    for (const problem of isLabelValue(value)) {
      errors.push(invalid(path.child("values").index(index), value, problem));
    }
  });
  return errors;
}

/**
 * Validates an operator and the number of its values, for label and field selectors in requests.
 */
export function validateOperator(
  operator: string,
  values: readonly string[],
  path: FieldPath,
  options: LabelSelectorOptions = {},
): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return [];
      return [
        required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'"),
      ];
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return [];
      return [
        forbidden(
          path.child("values"),
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
      ];
    default:
      if (options.allowUnknownOperators) return [];
      return [
        invalid(path.child("operator"), new JsonValue(operator), "not a valid selector operator"),
      ];
  }
}

/** Validates the key of a label. */
export function validateLabelName(name: string, path: ErrorPath): FieldError[] {
  return isQualifiedName(name).map((problem) => invalid(path, name, problem));
}

/** Validates a set of labels. */
export function validateLabels(labels: Labels | undefined, path: ErrorPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const key in labels) {
    const value = labels[key] ?? "";
    for (const problem of isQualifiedName(key)) errors.push(invalid(path, key, problem));
    for (const problem of isLabelValue(value)) errors.push(invalid(path, value, problem));
  }
  return errors;
}
