import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestDelay } from "./request-delay.ts";

test("RequestDelay delays by the share of throttled calls, which decays", () => {
  const start = Date.parse("2025-01-01T00:00:00Z");
  const delay = new RequestDelay(start);
  const at = (seconds: number): number => delay.delayMs(start + seconds * 1000) / 1000;
  assert.equal(at(0), 0);
  delay.reportThrottled();
  assert.equal(at(0), 10, "1 of 6");
  for (let count = 0; count < 10; count++) delay.reportThrottled();
  assert.equal(at(1), 94, "11 of 7: upstream does not limit it to the calls");
  for (let call = 0; call < 100; call++) at(1);
  assert.equal(at(1), 6, "11 of 108");
  assert.equal(at(600), 0, "too long ago");
});
