import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { repeat } from "./repeat.ts";

const cases = [
  { name: "begins at once", firstAfterMs: 0, times: ["0 ok", "100 ok", "200 no 1", "300 no 2"] },
  { name: "waits before", firstAfterMs: 50, times: ["50 ok", "150 ok", "250 no 1", "350 no 2"] },
];

for (const { name, firstAfterMs, times } of cases) {
  test(`repeat() ${name}, and continues after failures until it is stopped`, async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const seen: string[] = [];
    const work = async () => {
      if (seen.length > 1) throw new Error("no");
      seen.push(`${clock.monotonicMs()} ok`);
    };
    const failed = (error: unknown, inARow: number) =>
      void seen.push(`${clock.monotonicMs()} ${(error as Error).message} ${inARow}`);
    const running = repeat(work, { clock, everyMs: 100, firstAfterMs, failed }, stop.signal);
    await clock.advance(399);
    stop.abort();
    await running;
    assert.deepEqual(seen, times);
  });
}
