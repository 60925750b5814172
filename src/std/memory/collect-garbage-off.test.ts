import assert from "node:assert/strict";
import { constants } from "node:perf_hooks";
import { test } from "node:test";
import { collectionsOf } from "#/testing/collections-of.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { beginCollection, collectAfterStart } from "./collect-garbage.ts";

// A process of its own: collections that other tests have begun would end in this one.
test("K8TS_COLLECT_GARBAGE=off leaves collections to V8", async () => {
  const environment = { K8TS_COLLECT_GARBAGE: "off" };
  const clock = new FakeClock();
  using _timer = collectAfterStart(clock, environment);
  const kinds = await collectionsOf(() => beginCollection(environment));
  await clock.advance(10_000);
  const forced = kinds.filter((kind) => kind !== constants.NODE_PERFORMANCE_GC_MINOR);
  assert.deepEqual(forced, []);
});
