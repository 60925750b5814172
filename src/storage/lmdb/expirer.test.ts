import assert from "node:assert/strict";
import test from "node:test";
import { randomInt, seededRandom } from "#/std/base/random.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { Expirer } from "./expirer.ts";
import { storedVersion, type Version } from "./version.ts";

const expiring = (key: string, expiresAtMs: number): Version =>
  storedVersion({ key, modRevision: 2, createRevision: 2, expiresAtMs });

test("Expirer calls back in order of expiry, each at its time, with one timer", async () => {
  const clock = new FakeClock();
  const start = clock.now();
  const expired: number[] = [];
  const expirer = new Expirer(clock, (version) => {
    assert.equal(clock.now(), version.expiresAtMs);
    expired.push(version.expiresAtMs - start);
  });
  const random = seededRandom(2);
  const delays = Array.from({ length: 500 }, () => 1 + randomInt(random, 10_000));
  for (const delay of delays) expirer.add(expiring("a", start + delay));
  assert.equal(clock.pendingTimers, 1);
  await clock.advance(10_000);
  assert.deepEqual(
    expired,
    delays.toSorted((a, b) => a - b),
  );
  assert.equal(clock.pendingTimers, 0);
});

test("Expirer ignores versions without expiry, and stops when disposed of", async () => {
  const clock = new FakeClock();
  const expirer = new Expirer(clock, () => assert.fail("nothing expires"));
  expirer.add(expiring("a", 0));
  assert.equal(clock.pendingTimers, 0);
  expirer.add(expiring("b", clock.now() + 1000));
  expirer[Symbol.dispose]();
  await clock.advance(2000);
});
