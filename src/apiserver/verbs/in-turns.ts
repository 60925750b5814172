import { TurnBudget } from "#/std/memory/turn-budget.ts";
import { systemClock } from "#/std/time/clock.ts";

/** The clock is looked at after so many items. */
const itemsPerLook = 16;

/** Makes something of each of many items; other requests get their turn now and then. */
export async function inTurns<T, R>(items: readonly T[], make: (item: T) => R): Promise<R[]> {
  const budget = new TurnBudget(systemClock);
  const made: R[] = [];
  for (const item of items) {
    made.push(make(item));
    if (made.length % itemsPerLook === 0 && budget.isSpent) await budget.yield();
  }
  return made;
}
