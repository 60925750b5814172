import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { shedMemory } from "./shed-memory.ts";

const lookMs = 30_000;

/**
 * What a process does from look to look (w: it works, -: it doesn't), and what is done at each (f: forgets, c: forgets and
 * collects, -: nothing).
 */
const cases: Record<string, { readonly does: string; readonly done: string; heapMiB?: number }> = {
  "what the start has used up goes": { does: "------", done: "-f-c--" },
  "a process that works is left alone": { does: "wwwwwwww", done: "--------" },
  "one that has worked is collected once": { does: "wwww----------", done: "-----f-c------" },
  "and again after more work, however small its heap": {
    does: "----------w-----",
    done: "-f-c--------f-c-",
  },
  "what a collection itself takes is no work": {
    does: "----www---------",
    done: "-f-c------------",
  },
  "short pauses are no rest": { does: "w-w-w--w---w-w", done: "------f--f----" },
  "a big heap is not made to pause": { does: "w----", done: "--f-f", heapMiB: 300 },
  "what is unused for minutes goes though there is no rest": {
    does: "w".repeat(61),
    done: `${`${"-".repeat(29)}f`.repeat(2)}-`,
  },
  "and though there is nothing else": {
    does: "-".repeat(64),
    done: `-f-c${`${"-".repeat(29)}f`.repeat(2)}`,
  },
};

for (const [title, { does, done, heapMiB = 100 }] of Object.entries(cases)) {
  test(`shedMemory(): ${title}`, async () => {
    const clock = new FakeClock();
    let processorMs = 0;
    let now = "";
    using _timer = shedMemory(clock, {
      use: () => ({ processorMs, heapBytes: heapMiB * 2 ** 20 }),
      forget: () => {
        now = "f";
      },
      collect: () => {
        now = "c";
      },
    });
    let seen = "";
    for (const work of does) {
      processorMs += work === "w" ? 3_000 : 300;
      now = "-";
      await clock.advance(lookMs);
      seen += now;
    }
    assert.equal(seen, done);
  });
}
