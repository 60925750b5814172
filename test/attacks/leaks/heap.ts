import { getHeapSpaceStatistics, setFlagsFromString, writeHeapSnapshot } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Registry } from "#/apiserver/registry/registry.ts";
import { nextTurn } from "#/std/time/clock.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Rounds of collection: finalizers, weak references and closed handles are released in turns of the event loop. */
const rounds = 6;

/** The parts of the heap that have objects; compiled code comes and goes. */
const objectSpaces = new Set([
  "old_space",
  "new_space",
  "large_object_space",
  "new_large_object_space",
]);

/** Memory of live objects and of buffers outside of the heap (KiB), after garbage collection. */
async function liveKiB(): Promise<number> {
  for (let round = 0; round < rounds; round++) {
    collectGarbage();
    await nextTurn();
  }
  let bytes = process.memoryUsage().external;
  for (const space of getHeapSpaceStatistics()) {
    if (objectSpaces.has(space.space_name)) bytes += space.space_used_size;
  }
  return bytes / 1024;
}

/** A part of the cluster that does something again and again. */
export interface Area extends AsyncDisposable {
  /** Does something that leaves nothing behind; n is unique. */
  cycle(n: number): Promise<void>;
  /** Lets time pass, until everything that is kept for a time is gone. */
  settle(): Promise<void>;
}

/** Live memory (KiB) after each of some series of cycles; writes snapshots with this prefix to find what grows. */
export async function measure(
  area: Area,
  series: number,
  count: number,
  snapshots?: string,
): Promise<number[]> {
  const sizes: number[] = [];
  for (let n = 0; n < series * count; ) {
    for (const end = n + count; n < end; n++) await area.cycle(n);
    await area.settle();
    sizes.push(await liveKiB());
    if (snapshots) writeHeapSnapshot(`${snapshots}-${n}.heapsnapshot`);
  }
  return sizes;
}

/** What a server drops in time, at once: its history in memory, and parsed and encoded objects without use. */
export function forgetHistory({ feed, forms }: Registry): void {
  feed.forgetEvents(feed.revision, 0);
  for (let generation = 0; generation < 2; generation++) forms.forgetUnused();
}
