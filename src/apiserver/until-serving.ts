import type { Clock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";

/** Retry interval for a store that does not respond yet. */
const askAgainMs = 500;

/** Waits for a store that is still starting, up to a limit; rejects with its error, or the signal's reason. */
export async function untilServing(
  storage: Pick<Storage, "health">,
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const endMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    try {
      return await storage.health();
    } catch (error) {
      if (clock.monotonicMs() >= endMs) throw error;
      await clock.sleep(askAgainMs, signal);
    }
  }
}
