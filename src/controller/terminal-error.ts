/** A failure that a retry would not fix. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}

/**
 * Wraps an error of reconcile so that it isn't retried until something changes: `throw
 * terminal(error)`.
 */
export function terminal(cause: unknown): TerminalError {
  return new TerminalError(cause instanceof Error ? cause.message : String(cause), { cause });
}
