import assert from "node:assert/strict";
import { test } from "node:test";
import { whenSettled } from "./maybe-promise.ts";

test("whenSettled goes on at once with a value that is there", () => {
  assert.equal(
    whenSettled(2, (value) => value + 1),
    3,
  );
});

test("whenSettled waits for a promise, and for what follows it", async () => {
  const answer = whenSettled(Promise.resolve(2), async (value) => value + 1);
  assert(answer instanceof Promise);
  assert.equal(await answer, 3);
  await assert.rejects(async () => whenSettled(Promise.reject(new Error("no")), () => 1), /no/);
});
