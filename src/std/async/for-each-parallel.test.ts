import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "#/std/time/clock.ts";
import { forEachParallel } from "./for-each-parallel.ts";

test("forEachParallel() keeps the limit, and goes on after failures", async () => {
  let [now, most] = [0, 0];
  const done: number[] = [];
  const failures: string[] = [];
  await forEachParallel(
    [1, 2, 3, 4, 5, 6, 7],
    3,
    async (item) => {
      most = Math.max(most, ++now);
      await nextTurn();
      now--;
      if (item % 3 === 0) throw new Error("no luck");
      done.push(item);
    },
    (error, item) => failures.push(`${item} ${(error as Error).message}`),
  );
  assert.deepEqual([most, done, failures], [3, [1, 2, 4, 5, 7], ["3 no luck", "6 no luck"]]);
});
