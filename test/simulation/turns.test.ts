import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "#/std/time/clock.ts";
import { untilIdle, withinTurns } from "./turns.ts";

const limit = 50;

for (const { name, activeTurns, isIdle } of [
  { name: "nothing happens", activeTurns: 0, isIdle: true },
  { name: "something happens for a while", activeTurns: 30, isIdle: true },
  { name: "something happens without end", activeTurns: Number.POSITIVE_INFINITY, isIdle: false },
]) {
  test(`untilIdle() is ${isIdle} when ${name}`, async () => {
    let turns = 0;
    const activity = () => Math.min(turns++, activeTurns);
    assert.equal(await untilIdle(activity, limit), isIdle);
    assert(turns > Math.min(activeTurns, limit));
  });
}

for (const { name, workTurns, isDone } of [
  { name: "is done at once", workTurns: 0, isDone: true },
  { name: "takes some turns", workTurns: 40, isDone: true },
  { name: "takes more turns than the limit", workTurns: 60, isDone: false },
]) {
  test(`withinTurns() is ${isDone} for work that ${name}`, async () => {
    const work = async () => {
      for (let turns = 0; turns < workTurns; turns++) await nextTurn();
    };
    assert.equal(await withinTurns(work(), limit), isDone);
  });
}

test("withinTurns() fails when the work does", async () => {
  await assert.rejects(withinTurns(Promise.reject(new Error("broken"))), { message: "broken" });
});
