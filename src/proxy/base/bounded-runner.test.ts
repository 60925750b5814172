import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { BoundedRunner } from "./bounded-runner.ts";

/** A runner, and the times of its runs in seconds. */
function start(results: boolean[] = []) {
  const clock = new FakeClock();
  const began = clock.now();
  const runs: number[] = [];
  const stop = new AbortController();
  const runner = new BoundedRunner({
    clock,
    minMs: 1000,
    retryMs: 30_000,
    maxMs: 3_600_000,
    run: async () => {
      runs.push((clock.now() - began) / 1000);
      return results.shift() ?? true;
    },
  });
  const loop = runner.loop(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await loop;
  };
  return { clock, runs, runner, stop: end };
}

test("BoundedRunner runs twice at once after a pause, then not before minMs", async () => {
  const { clock, runs, runner, stop } = start();
  runner.request();
  await clock.advance(0);
  await clock.advance(10);
  runner.request();
  await clock.advance(0);
  runner.request();
  runner.request();
  await clock.advance(999);
  assert.deepEqual(runs, [0, 0.01]);
  await clock.advance(1);
  await clock.advance(5000);
  assert.deepEqual(runs, [0, 0.01, 1.01]);
  await stop();
});

test("BoundedRunner runs at most once in minMs while requests arrive all the time", async () => {
  const { clock, runs, runner, stop } = start();
  for (let step = 0; step < 50; step++) {
    runner.request();
    await clock.advance(100);
  }
  assert.equal(runs.length, 6);
  await stop();
});

test("BoundedRunner retries after a failure, and runs after maxMs without a request", async () => {
  const { clock, runs, runner, stop } = start([false, true]);
  runner.request();
  await clock.advance(0);
  await clock.advance(1000);
  await clock.advance(30_000);
  assert.deepEqual(runs, [0, 31]);
  await clock.advance(1000);
  await clock.advance(3_600_000);
  assert.equal(runs.length, 3);
  await stop();
});
