import { PerformanceObserver } from "node:perf_hooks";
import { nextTurn } from "#/std/time/clock.ts";

/** What Node's declarations leave out of an entry about a collection. */
type GcEntry = PerformanceEntry & { readonly detail: { readonly kind: number } };

/** The kinds of collections that a function begins. */
export async function collectionsOf(run: () => void): Promise<unknown[]> {
  const kinds: unknown[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) kinds.push((entry as GcEntry).detail.kind);
  });
  observer.observe({ entryTypes: ["gc"] });
  run();
  // The observer is called in one of the next turns.
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  observer.disconnect();
  return kinds;
}
