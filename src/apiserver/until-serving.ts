import type { Clock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";

/** How often a store that doesn't answer yet is asked again. */
const askAgainMs = 500;

/** Waits for a store that is still starting, but not for ever; rejects with why it can't be had, or the signal's reason. */
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
