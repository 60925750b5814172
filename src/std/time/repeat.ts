import type { Clock } from "./clock.ts";

export interface RepeatOptions {
  readonly clock: Clock;
  /** From the end of one time to the beginning of the next. */
  readonly everyMs: number;
  /** Before the first time; default none. */
  readonly firstAfterMs?: number;
  /** Told of each failure, and of how many there were in a row by now; work goes on when it is time. */
  failed(error: unknown, inARow: number): void;
}

/** Does some work again and again, until the signal aborts. */
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
