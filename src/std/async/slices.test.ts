import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn, systemClock } from "../time/clock.ts";
import { backgroundTurn, runInSlices } from "./slices.ts";

/** Keeps the processor busy. */
function compute(ms: number): void {
  const startMs = systemClock.monotonicMs();
  while (systemClock.monotonicMs() - startMs < ms);
}

test("runInSlices() runs little work at once", () => {
  let count = 0;
  const steps = (function* () {
    for (; count < 10; count++) yield;
  })();
  assert.equal(runInSlices(steps), undefined);
  assert.equal(count, 10);
});

test("runInSlices() lets other work in between its slices", async () => {
  const order: string[] = [];
  const steps = (function* () {
    for (let index = 0; index < 64; index++) {
      compute(1);
      order.push("step");
      yield;
    }
  })();
  const other = (async () => {
    while (order.length < 64) {
      await nextTurn();
      order.push("other");
    }
  })();
  await runInSlices(steps);
  await other;
  const runs = order.join(" ").split("other");
  const longest = Math.max(...runs.map((run) => run.split("step").length - 1));
  assert.ok(longest <= 32, `${longest} steps without a turn`);
});

test("backgroundTurn() shares the time of a turn among all callers", async () => {
  await nextTurn();
  await nextTurn();
  assert.equal(backgroundTurn(), undefined);
  assert.equal(backgroundTurn(), undefined);
  compute(11);
  const later = backgroundTurn();
  assert.ok(later);
  await later;
  assert.equal(backgroundTurn(), undefined);
});
