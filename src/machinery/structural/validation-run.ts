import { type ErrorPath, type FieldError, invalid } from "../meta/field-error.ts";
import { fieldPath } from "../meta/field-path.ts";
import { formatPath } from "./prune.ts";

/** Limit of problems reported for one object (count): more are of no use. Upstream has no limit. */
const maxViolations = 10_000;

/** The old value of a part that has none, or that cannot be matched to an old part. */
export const uncorrelated: unique symbol = Symbol("uncorrelated");

/** One violated rule. */
interface Violation {
  /** Upstream's message; problems with equal messages are reported once. */
  readonly message: string;
  toFieldError(base: ErrorPath): FieldError;
}

/**
 * A check of one value against one schema: adds problems to the run. The old value is that before
 * an update, if the two can be matched.
 */
export type Check = (value: unknown, old: unknown, run: ValidationRun) => void;

/**
 * The state of a validation: its path and its findings.
 *
 * Upstream: vendor/k8s.io/kube-openapi/pkg/validation/validate/result.go.
 */
export class ValidationRun {
  /** The segments from the root to the value being checked. */
  readonly path: (string | number)[];
  /**
   * Number of successful checks; if several alternatives fail, the one with the most is reported.
   */
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

  /** A run at the same path with its own findings. */
  fork(): ValidationRun {
    return new ValidationRun(this.path);
  }

  /** Adds the findings of a fork. */
  merge(other: ValidationRun): void {
    for (const violation of other.violations) this.add(violation);
    this.matches += other.matches;
  }

  add(violation: Violation): void {
    if (this.violations.length >= maxViolations || this.#seen.has(violation.message)) return;
    this.#seen.add(violation.message);
    this.violations.push(violation);
  }

  /** Reports a problem of the current value; the text starts with its path. */
  report(text: string, toError: (path: ErrorPath, message: string) => FieldError): void {
    const { name } = this;
    const message = `${name} in body ${text}`;
    this.add({ message, toFieldError: (base) => toError(childPath(base, name), message) });
  }

  /** Reports a problem that upstream does not assign to a field. */
  reportWithoutField(message: string): void {
    this.add({ message, toFieldError: (base) => invalid(base, "", message) });
  }

  /** Removes the violations after the first `count` ones. */
  dropFrom(count: number): void {
    for (const { message } of this.violations.splice(count)) this.#seen.delete(message);
  }

  /** Checks a part of the current value. */
  checkPart(segment: string | number, check: Check, value: unknown, old: unknown): void {
    this.path.push(segment);
    check(value, old, this);
    this.path.pop();
  }
}

/** The path of a part by its rendered name; the root has the base path. */
export function childPath(base: ErrorPath, name: string): ErrorPath {
  if (name === "") return base;
  return base === undefined ? fieldPath(name) : base.child(name);
}
