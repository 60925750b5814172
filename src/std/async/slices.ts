import type { MaybePromise } from "../base/maybe-promise.ts";
import { type Clock, nextTurn, systemClock } from "../time/clock.ts";
import { currentWork, enterWork } from "../time/turn-watch.ts";

/** Limit of background work in one turn of the event loop (ms), of all its parts together. */
const sliceMs = 10;
/** Steps between two looks at the clock. */
const stepsPerLook = 16;

/** When the background work of this turn began; undefined if there was none. */
let startMs: number | undefined;

const endTurn = (): void => {
  startMs = undefined;
};

/** Whether the background work of this turn has used its time. By any other clock than the machine's, it takes none. */
function isSpent(clock: Clock): boolean {
  if (clock !== systemClock) return false;
  const nowMs = clock.monotonicMs();
  if (startMs === undefined) {
    startMs = nowMs;
    void nextTurn().then(endTurn);
  }
  return nowMs - startMs >= sliceMs;
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
