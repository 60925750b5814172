import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyedLock } from "./keyed-lock.ts";

test("KeyedLock runs work of one key in order and other keys at once", async () => {
  const lock = new KeyedLock();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = lock.run("a", async () => {
    await gate.promise;
    order.push("a1");
  });
  const second = lock.run("a", async () => void order.push("a2"));
  await lock.run("b", async () => void order.push("b"));
  gate.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(order, ["b", "a1", "a2"]);
});

test("KeyedLock skips work that is aborted while it waits, and keeps the order of the rest", async () => {
  const lock = new KeyedLock();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const ending = new AbortController();
  const first = lock.run("a", async () => {
    await gate.promise;
    order.push("first");
  });
  const skipped = lock.run("a", async () => void order.push("skipped"), ending.signal);
  ending.abort(new Error("deleted"));
  await assert.rejects(skipped, /deleted/);
  const third = lock.run("a", async () => void order.push("third"));
  gate.resolve();
  await Promise.all([first, third]);
  assert.deepEqual(order, ["first", "third"]);
});

test("KeyedLock goes on after work that fails", async () => {
  const lock = new KeyedLock();
  await assert.rejects(
    lock.run("a", () => Promise.reject(new Error("no"))),
    /no/,
  );
  assert.equal(await lock.run("a", async () => 1), 1);
});
