import { nextTurn } from "#/std/time/clock.ts";

/** Turns of the event loop without any activity after which no more work is pending. */
const idleTurns = 6;
/** Limit of turns: work that needs more never ends; it is far more than any seed of the test takes. */
export const maxTurns = 100_000;

/** Waits until no more work is pending. False if that does not happen. */
export async function untilIdle(activity: () => number, limit = maxTurns): Promise<boolean> {
  let seen = activity();
  for (let turns = 0, idle = 0; turns < limit; turns++) {
    await nextTurn();
    const now = activity();
    idle = now === seen ? idle + 1 : 0;
    seen = now;
    if (idle === idleTurns) return true;
  }
  return false;
}

/** Waits for work that needs only turns of the event loop. False if it takes too many. */
export async function withinTurns(work: Promise<unknown>, limit = maxTurns): Promise<boolean> {
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  // After the limit, a later failure is not reported.
  done.catch(() => undefined);
  for (let turns = 0; !isOver; turns++) {
    if (turns >= limit) return false;
    await nextTurn();
  }
  await done;
  return true;
}
