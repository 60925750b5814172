/** A failure that trying again would not mend. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}

/** Wraps what a reconcile throws so that it isn't tried again until something changes: `throw terminal(error)`. */
export function terminal(cause: unknown): TerminalError {
  return new TerminalError(cause instanceof Error ? cause.message : String(cause), { cause });
}
