import assert from "node:assert/strict";
import { test } from "node:test";
import { settleAll } from "./settle-all.ts";

test("settleAll() returns all results", async () => {
  assert.deepEqual(await settleAll([Promise.resolve(1), "two"] as const), [1, "two"]);
});

test("settleAll() throws the first error in order, after all have ended", async () => {
  const slow = Promise.withResolvers<void>();
  let hasEnded = false;
  const failed = settleAll([
    slow.promise.finally(() => {
      hasEnded = true;
    }),
    Promise.reject(new Error("second")),
  ]);
  slow.reject(new Error("first"));
  await assert.rejects(failed, new Error("first"));
  assert.equal(hasEnded, true);
});
