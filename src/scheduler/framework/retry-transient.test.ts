import assert from "node:assert/strict";
import { test } from "node:test";
import { pods } from "#/api/core/v1.ts";
import { internalError, notFound } from "#/machinery/meta/status-error.ts";
import { systemClock } from "#/std/time/clock.ts";
import { retryTransient } from "./retry-transient.ts";

test("retryTransient() retries server errors only", async () => {
  let tries = 0;
  const failing = (error: Error, times: number) => async () => {
    if (++tries <= times) throw error;
    return "done";
  };
  assert.equal(
    await retryTransient(systemClock, failing(internalError(new Error("x")), 2)),
    "done",
  );
  assert.equal(tries, 3);
  tries = 0;
  await assert.rejects(retryTransient(systemClock, failing(notFound(pods, "x"), 2)));
  assert.equal(tries, 1);
  tries = 0;
  await assert.rejects(retryTransient(systemClock, failing(internalError(new Error("x")), 9)));
  assert.equal(tries, 4);
});
