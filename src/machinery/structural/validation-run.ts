import { type ErrorPath, type FieldError, invalid } from "../meta/field-error.ts";
import { fieldPath } from "../meta/field-path.ts";
import { formatPath } from "./prune.ts";

/** Most problems that are told of one object: beyond that nobody reads them. Upstream tells all. */
const maxViolations = 10_000;

/** Stands for the old value of what has none, or none that can be found. */
export const uncorrelated: unique symbol = Symbol("uncorrelated");

/** One rule that a value broke. */
interface Violation {
  /** Upstream's text, by which equal problems are told once. */
  readonly message: string;
  toFieldError(base: ErrorPath): FieldError;
}

/**
 * A check of one value against one schema: adds what is wrong to the run. The old value is what was there before an
 * update, if the two can be compared.
 */
export type Check = (value: unknown, old: unknown, run: ValidationRun) => void;

/**
 * The state of a validation: where it is and what it found.
 *
 * Upstream: kube-openapi/pkg/validation/validate/result.go.
 */
export class ValidationRun {
  /** The segments from the root to the value being checked. */
  readonly path: (string | number)[];
  /** How many checks were made; of several alternatives that fail, the one with most is told. */
  matches = 0;
  readonly violations: Violation[] = [];
  readonly #seen = new Set<string>();

  constructor(path: (string | number)[] = []) {
    this.path = path;
  }

  get isValid(): boolean {
    return this.violations.length === 0;
  }

  /** The path as messages show it. */
  get name(): string {
    return formatPath(this.path);
  }

  /** A run at the same place with findings of its own. */
  fork(): ValidationRun {
    return new ValidationRun(this.path);
  }

  /** Takes over what a fork found. */
  merge(other: ValidationRun): void {
    for (const violation of other.violations) this.add(violation);
    this.matches += other.matches;
  }

  add(violation: Violation): void {
    if (this.violations.length >= maxViolations || this.#seen.has(violation.message)) return;
    this.#seen.add(violation.message);
    this.violations.push(violation);
  }

  /** A problem of the value here; the text begins with its path. */
  report(text: string, toError: (path: ErrorPath, message: string) => FieldError): void {
    const { name } = this;
    const message = `${name} in body ${text}`;
    this.add({ message, toFieldError: (base) => toError(childPath(base, name), message) });
  }

  /** A problem that upstream ties to no field. */
  reportLoose(message: string): void {
    this.add({ message, toFieldError: (base) => invalid(base, "", message) });
  }

  /** Takes back what was added since there were so many violations. */
  dropFrom(count: number): void {
    for (const { message } of this.violations.splice(count)) this.#seen.delete(message);
  }

  /** Checks a part of the value here. */
  checkPart(segment: string | number, check: Check, value: unknown, old: unknown): void {
    this.path.push(segment);
    check(value, old, this);
    this.path.pop();
  }
}

/** The path of a part by its rendered name; the root has the base's own. */
export function childPath(base: ErrorPath, name: string): ErrorPath {
  if (name === "") return base;
  return base === undefined ? fieldPath(name) : base.child(name);
}
