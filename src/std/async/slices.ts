import type { MaybePromise } from "../base/maybe-promise.ts";
import { type Clock, nextTurn, systemClock } from "../time/clock.ts";
import { currentWork, enterWork } from "../time/turn-watch.ts";

/** Limit of background work in one turn of the event loop (ms), of all its parts together. */
const sliceMs = 10;
/** Steps between two looks at the clock. */
const stepsPerLook = 16;

/** When the background work of this turn began, by its clock. */
const starts = new WeakMap<Clock, number>();

/** Whether the background work of this turn has used its time. A clock that is stopped never has it used up. */
function isSpent(clock: Clock): boolean {
  const nowMs = clock.monotonicMs();
  const startMs = starts.get(clock);
  if (startMs !== undefined) return nowMs - startMs >= sliceMs;
  starts.set(clock, nowMs);
  void nextTurn().then(() => starts.delete(clock));
  return false;
}

/**
 * To be called between two pieces of background work (of controllers, informers): undefined if there is time left in
 * this turn of the event loop; otherwise a promise of a later turn, after requests have been served.
 */
export function backgroundTurn(clock: Clock = systemClock): MaybePromise<void> {
  return isSpent(clock) ? laterTurn(clock) : undefined;
}

async function laterTurn(clock: Clock): Promise<void> {
  const work = currentWork();
  do await nextTurn();
  while (isSpent(clock));
  if (work) enterWork(work);
}

/** Runs all steps: at once if they take little time, and otherwise in slices, in later turns. */
export function runInSlices(
  steps: Iterator<unknown>,
  clock: Clock = systemClock,
): MaybePromise<void> {
  return runSlice(steps, clock) ? undefined : runLater(steps, clock);
}

async function runLater(steps: Iterator<unknown>, clock: Clock): Promise<void> {
  do await laterTurn(clock);
  while (!runSlice(steps, clock));
}

/** Runs steps until the slice is used up; true when all are done. */
function runSlice(steps: Iterator<unknown>, clock: Clock): boolean {
  for (let count = 1; !steps.next().done; count++) {
    if (count % stepsPerLook === 0 && isSpent(clock)) return false;
  }
  return true;
}
