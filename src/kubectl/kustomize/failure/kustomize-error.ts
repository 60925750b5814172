import { CommandError } from "../../base/errors.ts";

/** A failure of a build. */
export class KustomizeError extends CommandError {
  override readonly name = "KustomizeError";
}

/** Adds the operation that failed. */
export function doing<T>(prefix: string | (() => string), action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw within(prefix, error);
  }
}

/** An error prefixed by the operation. */
export function within(prefix: string | (() => string), error: unknown): KustomizeError {
  const message = error instanceof Error ? error.message : String(error);
  const text = typeof prefix === "string" ? prefix : prefix();
  return new KustomizeError(`${text}: ${message}`, { cause: error });
}
