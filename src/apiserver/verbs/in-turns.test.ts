import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn, systemClock } from "#/std/time/clock.ts";
import { inTurns } from "./in-turns.ts";

const numbers = Array.from({ length: 40 }, (_, index) => index);

test("inTurns() maps each item, in order", async () => {
  const made = await inTurns(numbers, (number) => number * 2);
  assert.deepEqual(
    made,
    numbers.map((number) => number * 2),
  );
});

test("inTurns() yields to other work when it takes long", async () => {
  let made = 0;
  const madeBefore = nextTurn().then(() => made);
  await inTurns(numbers, () => {
    const startMs = systemClock.monotonicMs();
    while (systemClock.monotonicMs() - startMs < 1);
    made++;
  });
  assert((await madeBefore) < numbers.length);
});
