import { getHeapStatistics } from "node:v8";
import type { Clock, Timer } from "./clock.ts";
import { collectGarbage } from "./collect-garbage.ts";

/** What a process has used so far. */
export interface ProcessUse {
  readonly processorMs: number;
  /** What the heap takes, garbage included. */
  readonly heapBytes: number;
  /** What hangs on it. */
  readonly outsideBytes: number;
}

export interface ShedOptions {
  /** Lets go of what hasn't been used since the last time. */
  readonly forget: () => void;
  readonly use?: () => ProcessUse;
  readonly collect?: () => void;
}

/** How often it is looked whether there is something to do; unused things are forgotten after one to two of these. */
const lookMs = 30_000;
/** A process that uses no more of a processor has nothing to do that can't wait for a collection. */
const quietShare = 0.05;
/** Less isn't worth a collection. */
const worthBytes = 16 * 2 ** 20;
/** A bigger heap is not made to pause: somebody would notice. */
const mostHeapBytes = 2 ** 30;

/**
 * Gives memory back after work: V8 by itself would keep what the work has used up until there is more of it. Costs nothing
 * while nothing is done, and at most one collection after each bout of work.
 */
export function shedMemory(clock: Clock, options: ShedOptions): Timer {
  const { forget, use = ownUse, collect = () => collectGarbage("regular") } = options;
  let before = use();
  let leastBytes = 0;
  return clock.every(
    lookMs,
    () => {
      forget();
      const now = use();
      const isQuiet = now.processorMs - before.processorMs < quietShare * lookMs;
      const isWorth = totalBytes(now) > leastBytes + worthBytes;
      before = now;
      if (!isQuiet || !isWorth || now.heapBytes > mostHeapBytes) return;
      collect();
      before = use();
      leastBytes = totalBytes(before);
    },
    { keepAlive: false },
  );
}

const totalBytes = ({ heapBytes, outsideBytes }: ProcessUse): number => heapBytes + outsideBytes;

function ownUse(): ProcessUse {
  const { user, system } = process.cpuUsage();
  const { total_heap_size: heapBytes, external_memory: outsideBytes } = getHeapStatistics();
  return { processorMs: (user + system) / 1000, heapBytes, outsideBytes };
}
