import {
  duplicate,
  type FieldError,
  forbidden,
  internalError,
  invalid,
  JsonValue,
  notFound,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { negativeMessage, type Problems } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";

/**
 * Collects errors of the parts of an object, in order. A position is given as a path and the name of a field below
 * it ("" for the path itself), so that no path is built for a valid field.
 */
export class FieldReport {
  readonly errors: FieldError[] = [];

  required(path: FieldPath, field: string, detail = ""): void {
    this.errors.push(required(below(path, field), detail));
  }

  invalid(path: FieldPath, field: string, value: unknown, detail: string): void {
    this.errors.push(invalid(below(path, field), value, detail));
  }

  forbidden(path: FieldPath, field: string, detail: string): void {
    this.errors.push(forbidden(below(path, field), detail));
  }

  /** A text that is not one of the allowed ones, which are listed in the given order. */
  notSupportedText(
    path: FieldPath,
    field: string,
    value: string,
    allowed: readonly string[],
  ): void {
    this.errors.push(notSupported(below(path, field), value, allowed));
  }

  /** A value outside an enumeration with its own Go type; the allowed values are listed in the given order. */
  notSupported(path: FieldPath, field: string, value: unknown, allowed: Iterable<string>): void {
    this.errors.push(notSupported(below(path, field), new JsonValue(value), allowed));
  }

  duplicate(path: FieldPath, field: string, value: unknown): void {
    this.errors.push(duplicate(below(path, field), value));
  }

  notFound(path: FieldPath, field: string, value: unknown): void {
    this.errors.push(notFound(below(path, field), value));
  }

  tooLong(path: FieldPath, field: string, maxBytes: number): void {
    this.errors.push(tooLong(below(path, field), maxBytes));
  }

  tooMany(path: FieldPath, field: string, { actual, max }: { actual: number; max: number }): void {
    this.errors.push(tooMany(below(path, field), actual, max));
  }

  /** An internal error of the server during the check of the field. */
  internal(path: FieldPath, message: string): void {
    this.errors.push(internalError(path, new Error(message)));
  }

  /** One error for each problem that a rule reports for a value. */
  problems(path: FieldPath, field: string, value: unknown, problems: Problems): void {
    for (const problem of problems) this.invalid(path, field, value, problem);
  }

  /** Adds errors that another function returned. */
  add(errors: readonly FieldError[]): void {
    if (errors.length > 0) append(this.errors, errors);
  }

  nonNegative(path: FieldPath, field: string, value: number | undefined): void {
    if (value !== undefined && value < 0) this.invalid(path, field, value, negativeMessage);
  }
}

const below = (path: FieldPath, field: string): FieldPath =>
  field === "" ? path : path.child(field);
