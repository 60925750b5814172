import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/std/fake-clock.ts";
import { untilServing } from "./open-storage.ts";

/** A store that answers from the nth time on. */
function storeFrom(answering: number) {
  let asked = 0;
  return {
    health: async () => {
      if (++asked < answering) throw new Error(`not yet ${asked}`);
    },
  };
}

test("untilServing() waits for a store that starts late", async () => {
  const clock = new FakeClock();
  let served = false;
  const waiting = untilServing(storeFrom(3), clock, 60_000).then(() => {
    served = true;
  });
  await clock.advance(500);
  assert.equal(served, false);
  await clock.advance(500);
  await waiting;
});

test("untilServing() gives up in the end, and says why", async () => {
  const clock = new FakeClock();
  const waiting = untilServing(storeFrom(100), clock, 1_000);
  const refused = assert.rejects(waiting, new Error("not yet 3"));
  await clock.advance(1_000);
  await refused;
});
