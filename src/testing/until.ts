import { nextTurn, systemClock } from "#/std/clock.ts";

/** Far longer than anything takes, even on a machine that has much else to do. */
const limitMs = 60_000;

/** Resolves when something holds; fails after a minute in which it doesn't. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = systemClock.monotonicMs() + limitMs;
  while (!(await holds())) {
    if (systemClock.monotonicMs() > deadline) throw new Error(`not in time: ${what}`);
    await nextTurn();
  }
}
