import { nextTurn, systemClock } from "#/std/time/clock.ts";

/** Limit of a wait (ms): far longer than anything takes, even on a busy machine. */
const defaultLimitMs = 60_000;
/** Time (ms) in which each turn of the event loop looks; then it looks in steps, which leave the processor to others. */
const eagerMs = 20;
const stepMs = 10;

type Look<T> = () => T | Promise<T>;
type Found<T> = Exclude<Awaited<T>, false | undefined | null>;

export interface UntilOptions {
  readonly limitMs?: number;
}

/**
 * Looks again and again until something holds or is there, and resolves with it; fails after a minute in which it doesn't.
 * An error of the look ends the wait.
 */
export async function until<T>(
  what: string,
  look: Look<T>,
  { limitMs = defaultLimitMs }: UntilOptions = {},
): Promise<Found<T>> {
  const startMs = systemClock.monotonicMs();
  for (;;) {
    const found = await look();
    if (found) return found as Found<T>;
    const waitedMs = systemClock.monotonicMs() - startMs;
    if (waitedMs > limitMs) throw new Error(`not in time: ${what}`);
    if (waitedMs < eagerMs) await nextTurn();
    else await systemClock.sleep(stepMs);
  }
}
