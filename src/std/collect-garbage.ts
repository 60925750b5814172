import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock, Timer } from "./clock.ts";

/** Bigger heaps are not made to pause: with so much to keep, what a start leaves behind is little. */
const maxHeapBytes = 128 * 2 ** 20;
/** By then a program has loaded its modules and filled its caches, which leaves as much garbage as it keeps. */
const startedMs = 10_000;

/** Gives back what starting has used up, once; V8 by itself would keep it until there is work to do. */
export function collectAfterStart(clock: Clock): Timer {
  return clock.setTimer(startedMs, collect, { keepAlive: false });
}

function collect(): void {
  if (process.memoryUsage().heapUsed <= maxHeapBytes) collectGarbage("last-resort");
}

/**
 * Collects garbage now. The last resort gives back at once the pages that it has emptied, and takes three times as long; after
 * a regular collection V8 does so some seconds later, a little at a time, if there is no work.
 */
export function collectGarbage(flavor: "regular" | "last-resort"): void {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as (options: object) => void;
  // What V8 keeps of compiled code is only good for the flags that it was compiled with.
  setFlagsFromString("--no-expose-gc");
  gc({ type: "major", execution: "sync", flavor });
}
