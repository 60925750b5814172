import { isNotFound } from "#/machinery/meta/status-error.ts";

/** The target of an optional reference; undefined if it is missing. */
export async function orOptional<T>(
  object: Promise<T>,
  optional: boolean | undefined,
): Promise<T | undefined> {
  try {
    return await object;
  } catch (error) {
    if (optional && isNotFound(error)) return undefined;
    throw error;
  }
}
