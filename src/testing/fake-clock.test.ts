import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "./fake-clock.ts";

test("FakeClock does not move until advanced", async () => {
  const clock = new FakeClock("2025-06-01T12:00:00Z");
  assert.equal(new Date(clock.now()).toISOString(), "2025-06-01T12:00:00.000Z");
  await clock.advance(1_500);
  assert.equal(new Date(clock.now()).toISOString(), "2025-06-01T12:00:01.500Z");
  assert.equal(clock.monotonicMs(), 1_500);
});

test("FakeClock.advance() runs timers in order of time, then of creation, each at its due time", async () => {
  const clock = new FakeClock();
  const log: string[] = [];
  const note = (name: string) => () => log.push(`${name}@${clock.monotonicMs()}`);
  clock.setTimer(30, note("c"));
  clock.setTimer(10, note("a"));
  clock.setTimer(10, note("b"));
  clock.setTimer(31, note("late"));
  clock.setTimer(20, note("cancelled")).cancel();
  await clock.advance(30);
  assert.deepEqual(log, ["a@10", "b@10", "c@30"]);
  assert.equal(clock.pendingTimers, 1);
});

test("FakeClock.advance() follows a chain of sleeps", async () => {
  const clock = new FakeClock();
  const log: number[] = [];
  const looping = (async () => {
    for (let turn = 0; turn < 3; turn++) {
      await clock.sleep(100);
      log.push(clock.monotonicMs());
    }
  })();
  await clock.advance(1_000);
  await looping;
  assert.deepEqual(log, [100, 200, 300]);
  assert.equal(clock.pendingTimers, 0);
});

test("FakeClock.every() fires once per interval", async () => {
  const clock = new FakeClock();
  const log: number[] = [];
  const ticking = clock.every(250, () => log.push(clock.monotonicMs()));
  await clock.advance(800);
  ticking.cancel();
  await clock.advance(800);
  assert.deepEqual(log, [250, 500, 750]);
});

test("FakeClock.sleep() leaves no timer behind when aborted", async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const sleeping = clock.sleep(100, controller.signal);
  controller.abort(new Error("enough"));
  await assert.rejects(sleeping, /enough/);
  assert.equal(clock.pendingTimers, 0);
});

test("FakeClock.setWallClock() moves the date and no timer", async () => {
  const clock = new FakeClock();
  let fired = false;
  clock.setTimer(1_000, () => {
    fired = true;
  });
  clock.setWallClock("2030-01-01T00:00:00Z");
  await clock.advance(999);
  assert.equal(fired, false);
  assert.equal(new Date(clock.now()).toISOString(), "2030-01-01T00:00:00.999Z");
});
