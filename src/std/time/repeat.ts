import type { Clock } from "./clock.ts";

interface RepeatOptions {
  readonly clock: Clock;
  /** From the end of one run to the start of the next. */
  readonly everyMs: number;
  /** Delay before the first run; default none. */
  readonly firstAfterMs?: number;
  /**
   * Called for each failure, with the number of consecutive ones; the next run is at the usual
   * time.
   */
  failed(error: unknown, inARow: number): void;
}

/** Repeats work until the signal aborts. */
export async function repeat(
  work: () => Promise<void>,
  { clock, everyMs, firstAfterMs = 0, failed }: RepeatOptions,
  signal: AbortSignal,
): Promise<void> {
  const pause = (ms: number) => clock.sleep(ms, signal).catch(() => undefined);
  let failures = 0;
  if (firstAfterMs > 0) await pause(firstAfterMs);
  while (!signal.aborted) {
    try {
      await work();
      failures = 0;
    } catch (error) {
      if (!signal.aborted) failed(error, ++failures);
    }
    await pause(everyMs);
  }
}
