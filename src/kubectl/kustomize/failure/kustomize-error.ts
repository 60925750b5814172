import { CommandError } from "../../base/errors.ts";

/** A build that cannot be done. */
export class KustomizeError extends CommandError {
  override readonly name = "KustomizeError";
}

/** Says what was being done when something failed. */
export function doing<T>(prefix: string | (() => string), action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw within(prefix, error);
  }
}

/** An error with what was being done before it. */
export function within(prefix: string | (() => string), error: unknown): KustomizeError {
  const message = error instanceof Error ? error.message : String(error);
  const text = typeof prefix === "string" ? prefix : prefix();
  return new KustomizeError(`${text}: ${message}`, { cause: error });
}
