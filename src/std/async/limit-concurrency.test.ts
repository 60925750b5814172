import assert from "node:assert/strict";
import { test } from "node:test";
import { limitConcurrency } from "./limit-concurrency.ts";

test("limitConcurrency() runs no more than its limit at a time, in order, and goes on after a failure", async () => {
  const inTurn = limitConcurrency(2);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const all = [0, 1, 2, 3].map((number) =>
    inTurn(async () => {
      started.push(number);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (number === 0) throw new Error("failed");
      return number;
    }),
  );
  const settled = Promise.allSettled(all);
  assert.deepEqual(started, [0, 1]);
  ends[0]?.();
  await assert.rejects(all[0] ?? Promise.resolve(), { message: "failed" });
  assert.deepEqual(started, [0, 1, 2]);
  ends[1]?.();
  await all[1];
  for (const end of ends) end();
  await all[2];
  for (const end of ends) end();
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ["rejected", "fulfilled", "fulfilled", "fulfilled"],
  );
});
