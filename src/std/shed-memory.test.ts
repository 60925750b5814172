import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "./fake-clock.ts";
import { shedMemory } from "./shed-memory.ts";

const mebibyte = 2 ** 20;
const lookMs = 30_000;

/** Each look of the timer at a process, by what the process did before it. */
interface Look {
  readonly processorMs: number;
  readonly heapMiB: number;
  /** Whether garbage is collected then; what is left has 60 MiB. */
  readonly collects: boolean;
}

const cases: Record<string, readonly Look[]> = {
  "a process that works is left alone": [
    { processorMs: 20_000, heapMiB: 200, collects: false },
    { processorMs: 20_000, heapMiB: 300, collects: false },
  ],
  "one that has worked is collected once": [
    { processorMs: 20_000, heapMiB: 200, collects: false },
    { processorMs: 10, heapMiB: 200, collects: true },
    { processorMs: 10, heapMiB: 61, collects: false },
    { processorMs: 10, heapMiB: 70, collects: false },
  ],
  "and again after more work": [
    { processorMs: 10, heapMiB: 100, collects: true },
    { processorMs: 5_000, heapMiB: 150, collects: false },
    { processorMs: 10, heapMiB: 150, collects: true },
  ],
  "a very big heap is not made to pause": [{ processorMs: 10, heapMiB: 2_000, collects: false }],
};

for (const [title, looks] of Object.entries(cases)) {
  test(`shedMemory(): ${title}`, async () => {
    const clock = new FakeClock();
    let use = { processorMs: 0, heapBytes: 0, outsideBytes: 0 };
    let collections = 0;
    let forgotten = 0;
    using _timer = shedMemory(clock, {
      use: () => use,
      forget: () => forgotten++,
      collect: () => {
        collections++;
        use = { ...use, heapBytes: 60 * mebibyte };
      },
    });
    for (const { processorMs, heapMiB, collects } of looks) {
      const heapBytes = heapMiB * mebibyte;
      use = { ...use, processorMs: use.processorMs + processorMs, heapBytes };
      const before = collections;
      await clock.advance(lookMs);
      assert.equal(collections - before, collects ? 1 : 0, `${heapMiB} MiB`);
    }
    assert.equal(forgotten, looks.length);
  });
}
