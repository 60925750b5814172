import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { testPod } from "#/testing/pod-fixtures.ts";
import { waitForEnd } from "./wait-for-end.ts";

const eviction = { reason: "Evicted", message: "low on memory" };

for (const [own, evicted, limitSeconds] of [
  [30, undefined, 45],
  [30, 1, 10],
  [30, 20, 30],
  [undefined, undefined, 10],
] as const) {
  test(`waitForEnd() of a pod with grace ${own} and ${evicted} waits ${limitSeconds} s`, async () => {
    const clock = new FakeClock();
    const reasons: string[] = [];
    const events = {
      record: (_: unknown, { reason }: { reason: string }) => void reasons.push(reason),
    };
    const pod = testPod(own === undefined ? {} : { terminationGracePeriodSeconds: own });
    const stopped = new Promise<void>(() => undefined);
    const grace = evicted === undefined ? {} : { gracePeriodSeconds: evicted };
    let ended = false;
    const waiting = waitForEnd({ pod, stopped }, { ...eviction, ...grace }, { clock, events });
    waiting.catch(() => {
      ended = true;
    });
    await clock.advance(limitSeconds * 1000 - 1);
    assert.equal(ended, false);
    await clock.advance(1);
    await assert.rejects(waiting, /^Error: timeout waiting to kill pod$/);
    assert.deepEqual(reasons, ["ExceededGracePeriod"]);
  });
}

test("waitForEnd() resolves when the containers have ended", async () => {
  const clock = new FakeClock();
  const worker = { pod: testPod({}), stopped: Promise.resolve() };
  await waitForEnd(worker, eviction, { clock, events: { record: () => assert.fail() } });
  assert.equal(clock.pendingTimers, 0);
});
