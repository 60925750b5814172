import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { TokenBucket } from "./token-bucket.ts";

test("TokenBucket lets the burst through at once, then qps each second", async () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket({ qps: 2, burst: 3, clock });
  const through: number[] = [];
  const take = async () => {
    await bucket.take();
    through.push(clock.monotonicMs());
  };
  const all = Promise.all(Array.from({ length: 6 }, take));
  await clock.advance(2000);
  await all;
  assert.deepEqual(through, [0, 0, 0, 500, 1000, 1500]);
});

test("TokenBucket.tryTake() never waits, and tokens come back up to the burst", async () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket({ qps: 1, burst: 2, clock });
  assert.deepEqual([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()], [true, true, false]);
  await clock.advance(10_000);
  assert.deepEqual([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()], [true, true, false]);
});

test("TokenBucket.take() returns the token when aborted", async () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket({ qps: 1, burst: 1, clock });
  bucket.take();
  const gone = new AbortController();
  const waiting = bucket.take(gone.signal);
  gone.abort(new Error("enough"));
  await assert.rejects(Promise.resolve(waiting), /enough/);
  await clock.advance(1000);
  assert.equal(bucket.tryTake(), true);
});
