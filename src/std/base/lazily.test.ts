import assert from "node:assert/strict";
import { test } from "node:test";
import { lazily, lazyModule } from "./lazily.ts";

test("lazily() makes a value once, at its first use", () => {
  let count = 0;
  const value = lazily(() => {
    count++;
    return undefined;
  });
  assert.equal(count, 0);
  assert.deepEqual([value(), value(), count], [undefined, undefined, 1]);
});

test("lazyModule() returns the same module as an import", async () => {
  const clock = lazyModule<typeof import("../time/clock.ts")>("../time/clock.ts", import.meta.url);
  assert.equal(clock().systemClock, (await import("../time/clock.ts")).systemClock);
});
