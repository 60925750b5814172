import { getHeapStatistics } from "node:v8";
import type { Clock, Timer } from "../time/clock.ts";
import { beginCollection } from "./collect-garbage.ts";

/** What a process has used so far. */
export interface ProcessUse {
  readonly processorMs: number;
  /** Garbage included. */
  readonly heapBytes: number;
}

export interface ShedOptions {
  /** Lets go of what hasn't been used since the last time. */
  readonly forget: () => void;
  readonly use?: () => ProcessUse;
  readonly collect?: () => void;
}

/** How often it is looked whether there is something to do. */
const lookMs = 30_000;
/** A process that uses no more of a processor has nothing to do that can't wait for a step of a collection. */
const quietShare = 0.05;
/** After so many quiet looks work has come to an end, and what it has used begins to count as unused… */
const endedLooks = 2;
/** …and after so many what is still unused goes. */
const restedLooks = 4;
/** So many looks after a collection what V8 itself still does about it is over: that is no work. */
const settledLooks = 3;
/** While there is no rest, what is unused for so long goes as well; who comes every few minutes still finds it. */
const forgetLooks = 30;
/** A bigger heap is not made to pause, were it only for the end of a collection: see beginCollection(). */
const mostHeapBytes = 256 * 2 ** 20;

/**
 * Gives memory back two minutes after the end of work: V8 by itself would keep what the work has used up until there is more
 * of it. Costs nothing while nothing is done, and one collection after each bout of work; the start is one.
 */
export function shedMemory(clock: Clock, options: ShedOptions): Timer {
  const { forget, use = ownUse, collect = () => beginCollection() } = options;
  let { processorMs: before } = use();
  let quietLooks = 0;
  let looksToForget = forgetLooks;
  const look = (): void => {
    const { processorMs, heapBytes } = use();
    const isQuiet = processorMs - before < quietShare * lookMs;
    before = processorMs;
    const isSettling = quietLooks >= restedLooks && quietLooks < restedLooks + settledLooks;
    quietLooks = isQuiet || isSettling ? quietLooks + 1 : 0;
    const rests = quietLooks === restedLooks;
    looksToForget--;
    if (rests || quietLooks === endedLooks || looksToForget === 0) {
      forget();
      looksToForget = forgetLooks;
    }
    if (rests && heapBytes <= mostHeapBytes) collect();
  };
  return clock.every(lookMs, look, { keepAlive: false });
}

function ownUse(): ProcessUse {
  const { user, system } = process.cpuUsage();
  return { processorMs: (user + system) / 1000, heapBytes: getHeapStatistics().used_heap_size };
}
