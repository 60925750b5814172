import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { nextTurn, systemClock } from "./clock.ts";

test("systemClock.now() is the time of day in whole milliseconds", () => {
  const now = systemClock.now();
  assert.ok(Number.isInteger(now));
  assert.ok(now > Date.UTC(2024, 0, 1));
});

test("systemClock.sleep() takes at least the requested time", async () => {
  const start = systemClock.monotonicMs();
  await systemClock.sleep(5);
  assert.ok(systemClock.monotonicMs() - start >= 4);
});

test("systemClock.sleep() rejects with the reason of its signal", async () => {
  const reason = new Error("enough");
  await assert.rejects(systemClock.sleep(60_000, AbortSignal.abort(reason)), reason);
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  controller.abort(reason);
  await assert.rejects(sleeping, reason);
});

test("systemClock.setTimer() does not fire at once when the delay exceeds Node's limit", async () => {
  let fired = false;
  using _timer = systemClock.setTimer(2 ** 31 + 5, () => {
    fired = true;
  });
  await systemClock.sleep(5);
  assert.equal(fired, false);
});

test("systemClock.setTimer() never runs after cancel", async () => {
  let fired = false;
  const timer = systemClock.setTimer(1, () => {
    fired = true;
  });
  timer.cancel();
  timer.cancel();
  await systemClock.sleep(5);
  assert.equal(fired, false);
});

test("systemClock.every() repeats until disposed", async () => {
  let runs = 0;
  {
    using _ticking = systemClock.every(1, () => {
      runs++;
    });
    while (runs < 3) await systemClock.sleep(1);
  }
  const stoppedAt = runs;
  await systemClock.sleep(5);
  assert.equal(runs, stoppedAt);
});

test("nextTurn() runs after promise reactions and I/O", async () => {
  const order: string[] = [];
  void Promise.resolve().then(() => order.push("promise"));
  await nextTurn();
  order.push("turn");
  assert.deepEqual(order, ["promise", "turn"]);
  let read = false;
  const reading = readFile(import.meta.filename).then(() => {
    read = true;
  });
  while (!read) await nextTurn();
  await reading;
});
