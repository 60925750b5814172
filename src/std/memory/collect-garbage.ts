import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock, Timer } from "../time/clock.ts";

/** Bigger heaps are not made to pause: with so much to keep, what a start leaves behind is little. */
const maxHeapBytes = 128 * 2 ** 20;
/** By then a program has loaded its modules and filled its caches, which leaves as much garbage as it keeps. */
const startedMs = 10_000;

/** `K8TS_COLLECT_GARBAGE=off` leaves all collections to V8, and its flags alone: docs/decisions/0019-idle-collection.md. */
const isOff = ({ K8TS_COLLECT_GARBAGE: setting }: NodeJS.ProcessEnv): boolean => setting === "off";

/** Gives back what starting has used up, once; V8 by itself would keep it until there is work to do. */
export function collectAfterStart(clock: Clock, environment = process.env): Timer {
  const run = isOff(environment) ? () => undefined : collect;
  return clock.setTimer(startedMs, run, { keepAlive: false });
}

function collect(): void {
  if (process.memoryUsage().heapUsed > maxHeapBytes) return;
  // Gives back at once the pages that it has emptied, and takes three times as long as a regular one.
  exposedCollector()({ type: "major", execution: "sync", flavor: "last-resort" });
}

/**
 * Has V8 begin a collection, which then goes on as under load: marking in small steps beside other work. What is left for the
 * end took 25 to 65 ms in heaps of 60 to 400 MiB, half of it kept, where a collection in one go took 90 to 210 ms. V8 gives
 * the emptied pages back some seconds later.
 */
export function beginCollection(environment = process.env): void {
  if (isOff(environment)) return;
  const collector = exposedCollector();
  // After each scavenge V8 asks whether marking should begin, and with this flag it should.
  setFlagsFromString("--stress-incremental-marking");
  collector({ type: "minor", execution: "sync" });
  setFlagsFromString("--no-stress-incremental-marking");
}

function exposedCollector(): (options: object) => void {
  setFlagsFromString("--expose-gc");
  const collector = runInNewContext("gc") as (options: object) => void;
  // What V8 keeps of compiled code is only good for the flags that it was compiled with.
  setFlagsFromString("--no-expose-gc");
  return collector;
}
