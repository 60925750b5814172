import { TurnBudget } from "#/std/memory/turn-budget.ts";
import { systemClock } from "#/std/time/clock.ts";

/** Items between two checks of the clock. */
const itemsPerLook = 16;

/** Maps many items; yields to other requests from time to time. */
export async function inTurns<T, R>(items: readonly T[], make: (item: T) => R): Promise<R[]> {
  const budget = new TurnBudget(systemClock);
  const made: R[] = [];
  for (const item of items) {
    made.push(make(item));
    if (made.length % itemsPerLook === 0 && budget.isSpent) await budget.yield();
  }
  return made;
}
