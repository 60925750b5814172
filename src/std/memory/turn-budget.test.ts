import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn, systemClock } from "../time/clock.ts";
import { TurnBudget } from "./turn-budget.ts";

test("TurnBudget.yield() continues one work in each turn", async () => {
  let turn = 0;
  const works = ["a", "b", "c"].map(async () => {
    await new TurnBudget(systemClock).yield();
    return turn;
  });
  for (; turn < 10; turn++) await nextTurn();
  assert.equal(new Set(await Promise.all(works)).size, works.length);
});

test("TurnBudget.run() yields between steps when the time is spent", async () => {
  const seen: number[] = [];
  function* steps() {
    for (let step = 0; step < 4; step++) {
      seen.push(step);
      yield;
    }
    return "done";
  }
  const result = new TurnBudget(systemClock, 0).run(steps());
  assert.deepEqual(seen, [0]);
  assert.equal(await result, "done");
  assert.deepEqual(seen, [0, 1, 2, 3]);
});
