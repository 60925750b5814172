import { isConflict } from "#/machinery/meta/status-error.ts";
import type { Clock } from "#/std/time/clock.ts";

/** Delay after a failure (ms). */
const againMs = 1_000;
/** Limit of tries: faults are far rarer. */
const maxTries = 100;

/** Writes again after each failure, until it succeeds, or a failure means that there is nothing left to do. */
export async function repeatUntilDone(
  write: () => Promise<unknown>,
  options: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly isDone: (error: unknown) => boolean;
  },
): Promise<void> {
  const { clock, signal, isDone } = options;
  for (let tries = 0; tries < maxTries && !signal.aborted; tries++) {
    try {
      await write();
      return;
    } catch (error) {
      if (isDone(error) || signal.aborted) return;
      await clock.sleep(isConflict(error) ? 10 : againMs, signal).catch(() => undefined);
    }
  }
}
