import assert from "node:assert/strict";
import { test } from "node:test";
import { PreciseClock } from "./precise-clock.ts";

/** A clock whose wall time is whole milliseconds, and whose monotonic time began at another time. */
function clockAt(trueMs: { value: number }) {
  const unused = () => {
    throw new Error("unused");
  };
  return {
    now: () => Math.floor(trueMs.value),
    monotonicMs: () => trueMs.value - 1000,
    sleep: unused,
    setTimer: unused,
    every: unused,
  };
}

test("PreciseClock converges to the true time from whole milliseconds", () => {
  const time = { value: 5000.7 };
  const clock = new PreciseClock(clockAt(time));
  for (const value of [5001.2, 5002.05, 5003.9, 5004.001]) {
    time.value = value;
    clock.now();
  }
  time.value = 5010.5;
  assert.ok(Math.abs(clock.now() - 5010.5) < 0.1, String(clock.now()));
  assert.ok(Math.abs(clock.at(4000) - 5000) < 0.1);
});

test("PreciseClock follows a wall clock that is set back", () => {
  const time = { value: 5000.5 };
  const base = clockAt(time);
  let shift = 0;
  const clock = new PreciseClock({ ...base, now: () => base.now() + shift });
  shift = -2000;
  assert.ok(Math.abs(clock.now() - 3000.5) <= 1);
});
