import assert from "node:assert/strict";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { nextTurn } from "../time/clock.ts";
import { beginCollection, collectAfterStart } from "./collect-garbage.ts";

/** Numbers that are no small integers take their place in the heap. */
const kept: { numbers: number[] | undefined } = { numbers: undefined };

test("collectAfterStart() gives back what is no longer used, and leaves no trace", async () => {
  const clock = new FakeClock();
  using _timer = collectAfterStart(clock);
  kept.numbers = Array.from({ length: 2 ** 22 }, (_, index) => index + 0.5);
  const { heapUsed: before } = process.memoryUsage();
  kept.numbers = undefined;
  await clock.advance(10_000);
  const { heapUsed: after } = process.memoryUsage();
  assert.ok(after < before - 16 * 2 ** 20, `${after} of ${before}`);
  assert.equal("gc" in globalThis, false);
});

/** What Node's declarations leave out of an entry about a collection. */
type GcEntry = PerformanceEntry & { readonly detail: { readonly kind: number } };

/** The kinds of collections that a function begins. */
async function collectionsOf(run: () => void): Promise<unknown[]> {
  const kinds: unknown[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) kinds.push((entry as GcEntry).detail.kind);
  });
  observer.observe({ entryTypes: ["gc"] });
  run();
  // The observer is told in one of the next turns.
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  observer.disconnect();
  return kinds;
}

test("beginCollection() has V8 begin to mark", async () => {
  const kinds = await collectionsOf(() => beginCollection());
  assert.ok(kinds.includes(constants.NODE_PERFORMANCE_GC_INCREMENTAL), String(kinds));
});

test("K8TS_COLLECT_GARBAGE=off leaves collections to V8", async () => {
  const environment = { K8TS_COLLECT_GARBAGE: "off" };
  const clock = new FakeClock();
  using _timer = collectAfterStart(clock, environment);
  const kinds = await collectionsOf(() => beginCollection(environment));
  await clock.advance(10_000);
  const forced = kinds.filter((kind) => kind !== constants.NODE_PERFORMANCE_GC_MINOR);
  assert.deepEqual(forced, []);
});
