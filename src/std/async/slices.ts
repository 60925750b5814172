import type { MaybePromise } from "../base/maybe-promise.ts";
import { nextTurn, systemClock } from "../time/clock.ts";
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

/** Whether the background work of this turn has used its time. */
function isSpent(): boolean {
  const nowMs = systemClock.monotonicMs();
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
export function backgroundTurn(): MaybePromise<void> {
  return isSpent() ? laterTurn() : undefined;
}

async function laterTurn(): Promise<void> {
  const work = currentWork();
  do await nextTurn();
  while (isSpent());
  if (work) enterWork(work);
}

/** Runs all steps: at once if they take little time, and otherwise in slices, in later turns. */
export function runInSlices(steps: Iterator<unknown>): MaybePromise<void> {
  return runSlice(steps) ? undefined : runLater(steps);
}

async function runLater(steps: Iterator<unknown>): Promise<void> {
  do await laterTurn();
  while (!runSlice(steps));
}

/** Runs steps until the slice is used up; true when all are done. */
function runSlice(steps: Iterator<unknown>): boolean {
  for (let count = 1; !steps.next().done; count++) {
    if (count % stepsPerLook === 0 && isSpent()) return false;
  }
  return true;
}
