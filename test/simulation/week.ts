import { shareFields } from "#/machinery/apply/fields-v1.ts";
import { fieldElement, textKeyElement } from "#/machinery/apply/path-element.ts";
import { type Run, type SimulationOptions, withRun } from "./simulate.ts";
import { type TableSizes, tableSizes } from "./table-sizes.ts";

export interface WeekOptions extends SimulationOptions {
  readonly days: number;
  /** Hours of each day in which users and faults act; default 20. */
  readonly hours?: number;
  readonly onDay?: (line: string) => void;
}

/** What is there at the end of a day, when the user has deleted everything. */
export interface Day {
  /** Number of stored objects of each resource. */
  readonly objects: ReadonlyMap<string, number>;
  readonly timers: number;
  readonly watches: number;
  readonly tables: TableSizes;
}

/** Time without users (ms): Events expire after an hour, and Pods of lost nodes are forgotten. */
const restMs = 100 * 60_000;

/**
 * Simulates days, one after the other, in one cluster whose programs are never restarted. At the end of each the user
 * deletes everything: what is left then must be what was left on the first day. Returns the first difference.
 */
export function simulateDays({ days, hours = 20, onDay, ...options }: WeekOptions) {
  return withRun({ ...options, isLong: true }, async (run): Promise<string | undefined> => {
    await run.begin();
    let first: Day | undefined;
    for (let number = 1; number <= days; number++) {
      const reason = await run.work(hours * 60 * 60_000, restMs);
      if (reason !== undefined) return `day ${number}: ${reason}\n${run.last.join("\n")}`;
      const day = await measure(run);
      onDay?.(`day ${number}: ${describe(day)}`);
      const problem = first && compareDays(first, day);
      if (problem) return `day ${number}: ${problem}`;
      first ??= day;
    }
    return undefined;
  });
}

async function measure(run: Run): Promise<Day> {
  const { entries } = await run.storage.range("/registry/", { keysOnly: true });
  const objects = new Map<string, number>();
  for (const { key } of entries) {
    const resource = key.split("/")[2] ?? "";
    objects.set(resource, (objects.get(resource) ?? 0) + 1);
  }
  const { pendingTimers: timers } = run.clock;
  fillFieldCaches();
  return { objects, timers, watches: run.openWatches, tables: tableSizes() };
}

/** Fills the caches of managed fields, which have limits of their own, so that they have the same size each day. */
function fillFieldCaches(): void {
  const large = "x".repeat(12_000);
  for (let n = 0; n < 500; n++) shareFields({ [`f:${large}${n}`]: {} });
  for (let n = 0; n < 10_000; n++) {
    fieldElement(`simulated-${n}`);
    textKeyElement("uid", `simulated-${n}`);
  }
}

/** Growth that is allowed since the first day: what is pending at that moment, and buffers that are filled slowly. */
const allowed = { timers: 20, watches: 0, entries: 300, elements: 5_000 };

/** The first size that has grown since the first day. */
export function compareDays(first: Day, day: Day): string | undefined {
  for (const [resource, count] of day.objects) {
    const before = first.objects.get(resource) ?? 0;
    if (count > before) return `${count} ${resource} are stored, ${before} on the first day`;
  }
  const sizes = [
    ["timers are pending", first.timers, day.timers, allowed.timers],
    ["watches are open", first.watches, day.watches, allowed.watches],
    ["entries are in tables", first.tables.entries, day.tables.entries, allowed.entries],
    ["elements are in arrays", first.tables.elements, day.tables.elements, allowed.elements],
  ] as const;
  for (const [what, before, now, growth] of sizes) {
    if (now <= before + growth) continue;
    return `${now} ${what}, ${before} on the first day; tables:\n  ${day.tables.largest.join("\n  ")}`;
  }
  return undefined;
}

function describe({ objects, timers, watches, tables }: Day): string {
  const stored = [...objects].map(([resource, count]) => `${count} ${resource}`).join(", ");
  const heap = `${(tables.heapBytes / 2 ** 20).toFixed(0)} MiB heap`;
  return `${stored}; ${timers} timers, ${watches} watches, ${tables.entries} entries of tables, ${tables.elements} of arrays, ${heap}`;
}
