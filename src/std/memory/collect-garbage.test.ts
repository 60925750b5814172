import assert from "node:assert/strict";
import { constants } from "node:perf_hooks";
import { test } from "node:test";
import { collectionsOf } from "#/testing/collections-of.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
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

test("beginCollection() has V8 begin to mark", async () => {
  const kinds = await collectionsOf(() => beginCollection());
  assert.ok(kinds.includes(constants.NODE_PERFORMANCE_GC_INCREMENTAL), String(kinds));
});
