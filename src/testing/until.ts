import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { nextTurn, systemClock } from "#/std/time/clock.ts";

/** Limit of a wait (ms): far longer than any real wait, even on a busy machine. */
const defaultLimitMs = 60_000;
/**
 * Time (ms) in which the condition is checked in each turn of the event loop; then at intervals,
 * which leave the processor to others.
 */
const eagerMs = 20;
const stepMs = 10;

type Look<T> = () => MaybePromise<T>;
type Found<T> = Exclude<Awaited<T>, false | undefined | null>;

export interface UntilOptions {
  readonly limitMs?: number;
  /** What was seen instead, for the error of a wait that fails. */
  seen?(): string;
}

/**
 * Checks a condition until it is true or defined, and resolves with its value; fails after a
 * minute. An error of the condition ends the wait.
 */
export async function until<T>(
  what: string,
  look: Look<T>,
  { limitMs = defaultLimitMs, seen }: UntilOptions = {},
): Promise<Found<T>> {
  const startMs = systemClock.monotonicMs();
  for (;;) {
    const found = await look();
    if (found) return found as Found<T>;
    const waitedMs = systemClock.monotonicMs() - startMs;
    if (waitedMs > limitMs) {
      throw new Error(`not in time: ${what}${seen ? `; instead: ${seen()}` : ""}`);
    }
    if (waitedMs < eagerMs) await nextTurn();
    else await systemClock.sleep(stepMs);
  }
}
