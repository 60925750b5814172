import assert from "node:assert/strict";
import { test } from "node:test";
import { settleAll } from "./settle-all.ts";

test("settleAll() is what all came to", async () => {
  assert.deepEqual(await settleAll([Promise.resolve(1), "two"] as const), [1, "two"]);
});

test("settleAll() throws the first failure in order, after the last has ended", async () => {
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
