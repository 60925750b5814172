import { isNotFound } from "#/machinery/meta/status-error.ts";
import { Errors } from "../base/errors.ts";

/** The failures in nested lists of failures. */
export function flatten(errors: readonly unknown[]): unknown[] {
  return errors.flatMap((error) => (error instanceof Errors ? flatten(error.errors) : [error]));
}

/** A failure without its NotFound parts. */
export function withoutNotFound(error: unknown): unknown {
  const rest = flatten([error]).filter((each) => each !== undefined && !isNotFound(each));
  return rest.length > 1 ? new Errors(rest) : rest[0];
}
