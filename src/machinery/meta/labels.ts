import { compareText } from "#/std/text/compare-text.ts";
import { parseInt64 } from "../values/int64.ts";
import { type FieldError, formatFieldErrors, invalid, notSupported } from "./field-error.ts";
import { type FieldPath, fieldPath } from "./field-path.ts";
import { isLabelValue, isQualifiedName } from "./names.ts";

/** An object's labels. */
export type Labels = Readonly<Record<string, string>>;

const binaryOperators = ["in", "notin", "=", "==", "!=", "gt", "lt"] as const;
const unaryOperators = ["exists", "!"] as const;

/** The relation between a label and the values. */
export type LabelOperator = (typeof binaryOperators)[number] | (typeof unaryOperators)[number];

/** One condition on one label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** An invalid selector; the message is upstream's. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
}

/** The operators with two sides, as error messages list them. */
export const binaryOperatorList: string = binaryOperators.join(", ");

/**
 * A compiled label selector: the conjunction of its requirements. Immutable.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/labels/selector.go.
 */
export class Selector {
  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  /** False only for the selector that matches no object. */
  readonly selectable: boolean;
  readonly #tests: readonly ((labels: Labels) => boolean)[];

  constructor(requirements: readonly LabelRequirement[], selectable = true) {
    this.requirements = requirements.toSorted((a, b) => compareText(a.key, b.key));
    this.selectable = selectable;
    this.#tests = this.requirements.map(compile);
  }

  /** Whether labels meet every requirement; undefined counts as an empty set. */
  matches(labels: Labels | undefined): boolean {
    if (!this.selectable) return false;
    const given = labels ?? noLabels;
    for (const test of this.#tests) if (!test(given)) return false;
    return true;
  }

  /** Whether every object matches. */
  get isEverything(): boolean {
    return this.selectable && this.requirements.length === 0;
  }

  /** A selector with more requirements. */
  add(...more: readonly LabelRequirement[]): Selector {
    return this.selectable ? new Selector([...this.requirements, ...more]) : this;
  }

  /** The only value that this label may have; undefined if there is not exactly one. */
  requiresExactMatch(key: string): string | undefined {
    const requirement = this.requirements.find((one) => one.key === key);
    if (requirement === undefined || requirement.values.length !== 1) return undefined;
    return equalityOperators.has(requirement.operator) ? requirement.values[0] : undefined;
  }

  /** All labels that may have only one value, with it, as requiresExactMatch() has them. */
  exactMatches(): Map<string, string> {
    const first = new Map<string, LabelRequirement>();
    for (const one of this.requirements) if (!first.has(one.key)) first.set(one.key, one);
    const matches = new Map<string, string>();
    for (const [key, { operator, values }] of first) {
      const [value] = values;
      if (value === undefined || values.length !== 1 || !equalityOperators.has(operator)) continue;
      matches.set(key, value);
    }
    return matches;
  }

  /** The canonical text. */
  toString(): string {
    return this.requirements.map(formatRequirement).join(",");
  }
}

const noLabels: Labels = {};
const equalityOperators: ReadonlySet<LabelOperator> = new Set(["=", "==", "in"]);

/** Matches every object. */
export const everything: Selector = new Selector([]);

/** Matches no object. */
export const nothing: Selector = new Selector([], false);

/** Matches objects that have all these labels; the labels are not validated. */
export function selectorFromLabels(labels: Labels | undefined): Selector {
  const entries = Object.entries(labels ?? noLabels);
  if (entries.length === 0) return everything;
  return new Selector(entries.map(([key, value]) => ({ key, operator: "=", values: [value] })));
}

/** Validates and creates a requirement. Throws SelectorError. */
export function labelRequirement(
  key: string,
  operator: string,
  values: readonly string[],
  path?: FieldPath,
): LabelRequirement {
  const errors = requirementErrors(key, operator, values, path);
  if (errors.length > 0) throw new SelectorError(formatFieldErrors(errors));
  return { key, operator: operator as LabelOperator, values };
}

function requirementErrors(
  key: string,
  operator: string,
  values: readonly string[],
  path: FieldPath | undefined,
): FieldError[] {
  const child = (name: string): FieldPath => path?.child(name) ?? fieldPath(name);
  const errors: FieldError[] = [];
  const keyProblems = isQualifiedName(key);
  if (keyProblems.length > 0) errors.push(invalid(child("key"), key, keyProblems.join("; ")));
  const wrong = valueCountProblem(operator, values);
  if (wrong !== undefined) errors.push(invalid(child("values"), values, wrong));
  if (operator === "gt" || operator === "lt") {
    values.forEach((value, index) => {
      if (parseInt64(value) !== undefined) return;
      const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
      errors.push(invalid(child("values").index(index), value, detail));
    });
  }
  const operators: readonly string[] = [...binaryOperators, ...unaryOperators];
  if (!operators.includes(operator)) {
    errors.push(notSupported(child("operator"), operator, operators));
  }
  values.forEach((value, index) => {
    const problems = isLabelValue(value);
    if (problems.length === 0) return;
    errors.push(invalid(child("values").index(index).key(key), value, problems.join("; ")));
  });
  return errors;
}

function valueCountProblem(operator: string, values: readonly string[]): string | undefined {
  switch (operator) {
    case "in":
    case "notin":
      if (values.length > 0) return undefined;
      return "for 'in', 'notin' operators, values set can't be empty";
    case "=":
    case "==":
    case "!=":
      return values.length === 1
        ? undefined
        : "exact-match compatibility requires one single value";
    case "exists":
    case "!":
      if (values.length === 0) return undefined;
      return "values set must be empty for exists and does not exist";
    case "gt":
    case "lt":
      if (values.length === 1) return undefined;
      return "for 'Gt', 'Lt' operators, exactly one value is required";
    default:
      return undefined;
  }
}

/** The value of a label: an inherited property such as constructor does not count. */
function lookup(labels: Labels, key: string): string | undefined {
  const value: unknown = labels[key];
  return typeof value === "string" ? value : undefined;
}

function compile({ key, operator, values }: LabelRequirement): (labels: Labels) => boolean {
  switch (operator) {
    case "=":
    case "==":
    case "in":
      return compileIn(key, values);
    case "!=":
    case "notin": {
      const isIn = compileIn(key, values);
      return (labels) => !isIn(labels);
    }
    case "exists":
      return (labels) => lookup(labels, key) !== undefined;
    case "!":
      return (labels) => lookup(labels, key) === undefined;
    case "gt":
    case "lt":
      return compileOrder(key, operator, values);
    default:
      return operator satisfies never;
  }
}

function compileIn(key: string, values: readonly string[]): (labels: Labels) => boolean {
  const [only] = values;
  if (values.length === 1) return (labels) => lookup(labels, key) === only;
  const set: ReadonlySet<string | undefined> = new Set(values);
  return (labels) => set.has(lookup(labels, key));
}

function compileOrder(
  key: string,
  operator: "gt" | "lt",
  [text = ""]: readonly string[],
): (labels: Labels) => boolean {
  const bound = parseInt64(text);
  return (labels) => {
    const value = parseInt64(lookup(labels, key) ?? "");
    if (value === undefined || bound === undefined) return false;
    return operator === "gt" ? value > bound : value < bound;
  };
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const list = values.length === 1 ? values[0] : values.toSorted(compareText).join(",");
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${list})`;
    case "gt":
      return `${key}>${list}`;
    case "lt":
      return `${key}<${list}`;
    default:
      return `${key}${operator}${list}`;
  }
}
