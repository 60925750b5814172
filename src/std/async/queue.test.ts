import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FakeClock } from "#/testing/fake-clock.ts";
import { exponentialBackoff } from "../time/backoff.ts";
import { WorkQueue, type WorkQueueOptions } from "./queue.ts";

function open(options: WorkQueueOptions = {}) {
  const clock = new FakeClock();
  return { clock, queue: new WorkQueue<string>({ clock, ...options }) };
}

test("WorkQueue hands out keys in order, each once however often added", async () => {
  const { queue } = open();
  for (const key of ["a", "b", "a", "c", "b"]) queue.add(key);
  assert.equal(queue.length, 3);
  assert.deepEqual([await queue.get(), await queue.get(), await queue.get()], ["a", "b", "c"]);
});

test("WorkQueue hands out a key again only after done()", async () => {
  const { queue } = open();
  queue.add("a");
  await queue.get();
  queue.add("a");
  queue.add("a");
  assert.equal(queue.length, 0);
  const next = queue.get();
  queue.done("a");
  assert.equal(await next, "a");
  queue.done("a");
  assert.equal(queue.length, 0);
});

test("WorkQueue.get() waits, and serves callers in their order", async () => {
  const { queue } = open();
  const takers = [queue.get(), queue.get()];
  queue.add("a");
  queue.add("b");
  assert.deepEqual(await Promise.all(takers), ["a", "b"]);
});

test("WorkQueue.get() rejects when its signal aborts and loses no key", async () => {
  const { queue } = open();
  const controller = new AbortController();
  const waiting = queue.get(controller.signal);
  controller.abort(new Error("stop"));
  await assert.rejects(waiting, /stop/);
  await assert.rejects(queue.get(controller.signal), /stop/);
  queue.add("a");
  assert.equal(await queue.get(), "a");
});

test("WorkQueue.addAfter() makes a key ready at the earliest requested time", async () => {
  const { queue, clock } = open();
  queue.addAfter("a", 100);
  queue.addAfter("a", 50);
  queue.addAfter("a", 80);
  queue.addAfter("now", 0);
  assert.equal(queue.length, 1);
  await clock.advance(49);
  assert.equal(queue.length, 1);
  await clock.advance(1);
  assert.equal(queue.length, 2);
  await clock.advance(100);
  assert.equal(queue.length, 2);
  assert.equal(clock.pendingTimers, 0);
});

test("WorkQueue.addRateLimited() waits longer each time until forget()", async () => {
  const { queue, clock } = open({ backoff: exponentialBackoff({ baseMs: 10, maxMs: 1_000 }) });
  const readyAfterMs = async () => {
    queue.addRateLimited("a");
    const start = clock.monotonicMs();
    while (queue.length === 0) await clock.advance(1);
    queue.done((await queue.get()) ?? "");
    return clock.monotonicMs() - start;
  };
  assert.deepEqual(
    [await readyAfterMs(), await readyAfterMs(), await readyAfterMs()],
    [10, 20, 40],
  );
  assert.equal(queue.retries("a"), 3);
  queue.forget("a");
  assert.equal(await readyAfterMs(), 10);
});

test("WorkQueue refuses more keys than its capacity, ready and delayed together", () => {
  const { queue } = open({ capacity: 2 });
  queue.add("a");
  queue.addAfter("b", 10);
  queue.add("a");
  assert.throws(() => queue.add("c"), { name: "QueueFullError" });
  assert.throws(() => queue.addAfter("c", 10), /the work queue is full \(2 keys\)/);
});

test("WorkQueue.shutdown() hands out ready keys, drops delayed ones and waits for the work", async () => {
  const { queue, clock } = open();
  queue.add("working");
  await queue.get();
  queue.add("ready");
  queue.addAfter("delayed", 10);
  let drained = false;
  const draining = queue.shutdown().then(() => {
    drained = true;
  });
  queue.add("late");
  queue.addAfter("late", 1);
  queue.addRateLimited("late");
  assert.equal(clock.pendingTimers, 0);
  assert.deepEqual([await queue.get(), await queue.get()], ["ready", undefined]);
  queue.done("ready");
  await clock.advance(0);
  assert.equal(drained, false);
  queue.done("working");
  await draining;
});

test("WorkQueue.addRateLimited() delays all keys when many fail", async () => {
  const { queue, clock } = open({ backoff: () => 5, rate: { qps: 10, burst: 3 } });
  const ready: string[] = [];
  const worker = async () => {
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      ready.push(`${key} ${clock.monotonicMs()}`);
      queue.done(key);
    }
  };
  const working = worker();
  for (const key of ["a", "b", "c", "d", "e"]) queue.addRateLimited(key);
  await clock.advance(1000);
  assert.deepEqual(ready, ["a 5", "b 5", "c 5", "d 100", "e 200"]);
  queue.addRateLimited("f");
  await clock.advance(5);
  assert.equal(ready.at(-1), "f 1005");
  await queue.shutdown();
  await working;
});

test("WorkQueue lets 100 keys fail at once, then 10 each second, unless unlimited", async () => {
  const isReadyAfter = async (options: WorkQueueOptions, ms: number): Promise<number> => {
    const { queue, clock } = open(options);
    for (let index = 0; index < 120; index++) queue.addRateLimited(`k${index}`);
    await clock.advance(ms);
    return queue.length;
  };
  assert.deepEqual(
    [
      await isReadyAfter({}, 10),
      await isReadyAfter({}, 1000),
      await isReadyAfter({ rate: "unlimited" }, 10),
    ],
    [100, 110, 120],
  );
});

test("WorkQueue.shutdown() wakes waiting callers", async () => {
  const { queue } = open();
  const waiting = queue.get();
  await queue.shutdown();
  assert.equal(await waiting, undefined);
});

test("WorkQueue hands out a key again after shutdown() if it was added before", async () => {
  const { queue } = open();
  queue.add("a");
  await queue.get();
  queue.add("a");
  const drained = queue.shutdown();
  queue.done("a");
  assert.equal(await queue.get(), "a");
  queue.done("a");
  await drained;
});

test("WorkQueue reports to its observer depth, adds, retries and times", async () => {
  const seen: string[] = [];
  const { queue, clock } = open({
    backoff: () => 100,
    observer: {
      depth: (count) => seen.push(`depth ${count}`),
      added: () => seen.push("added"),
      retried: () => seen.push("retried"),
      waited: (seconds) => seen.push(`waited ${seconds}`),
      worked: (seconds) => seen.push(`worked ${seconds}`),
    },
  });
  queue.add("a");
  await clock.advance(2_000);
  await queue.get();
  await clock.advance(500);
  queue.addRateLimited("a");
  queue.done("a");
  assert.deepEqual(seen, ["added", "depth 1", "depth 0", "waited 2", "retried", "worked 0.5"]);
});

test("WorkQueue never hands out a key twice at a time, and hands out every added key", async () => {
  const steps = fc.array(
    fc.record({ key: fc.constantFrom("a", "b", "c"), delayMs: fc.constantFrom(0, 1, 5) }),
    { maxLength: 40 },
  );
  const property = fc.asyncProperty(steps, async (adds) => {
    const { queue, clock } = open();
    const inWork = new Set<string>();
    const workedAt = new Map<string, number>();
    const worker = async () => {
      for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
        assert.ok(!inWork.has(key));
        inWork.add(key);
        workedAt.set(key, clock.monotonicMs());
        await clock.sleep(2);
        inWork.delete(key);
        queue.done(key);
      }
    };
    const workers = [worker(), worker()];
    const lastDue = new Map<string, number>();
    for (const { key, delayMs } of adds) {
      queue.addAfter(key, delayMs);
      const due = clock.monotonicMs() + delayMs;
      lastDue.set(key, Math.max(due, lastDue.get(key) ?? 0));
      if (delayMs === 1) await clock.advance(1);
    }
    await clock.advance(200);
    for (const [key] of lastDue) assert.ok(workedAt.has(key));
    await queue.shutdown();
    await Promise.all(workers);
  });
  await fc.assert(property, { numRuns: 30 });
});
