import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { forgetWhenIdle } from "./forget-when-idle.ts";

const sampleMs = 30_000;

/** The process in each sample (w: busy, -: idle), and the result (f: forgets, -: nothing). */
const cases: Record<
  string,
  { readonly does: string; readonly done: string; readonly isDueInWork?: boolean }
> = {
  "entries of the start are dropped": { does: "------", done: "-f-f--" },
  "a process that works keeps its entries": { does: "wwwwwwww", done: "--------" },
  "entries are dropped once after work": { does: "wwww----------", done: "-----f-f------" },
  "and again after more work": { does: "----------w-----", done: "-f-f--------f-f-" },
  "short pauses are not idleness": { does: "w-w-w--w---w-w", done: "------f--f----" },
  "unused entries are dropped during long work": {
    does: "w".repeat(61),
    done: `${`${"-".repeat(29)}f`.repeat(2)}-`,
  },
  "or only after it": {
    does: `${"w".repeat(61)}----`,
    done: `${"-".repeat(61)}-f-f`,
    isDueInWork: false,
  },
  "and during long idleness": {
    does: "-".repeat(64),
    done: `-f-f${`${"-".repeat(29)}f`.repeat(2)}`,
  },
};

for (const [title, { does, done, isDueInWork = true }] of Object.entries(cases)) {
  test(`forgetWhenIdle(): ${title}`, async () => {
    const clock = new FakeClock();
    let processorMs = 0;
    let now = "";
    using _timer = forgetWhenIdle(clock, {
      processorMs: () => processorMs,
      isDueInWork,
      forget: () => {
        now = "f";
      },
    });
    let seen = "";
    for (const work of does) {
      processorMs += work === "w" ? 3_000 : 300;
      now = "-";
      await clock.advance(sampleMs);
      seen += now;
    }
    assert.equal(seen, done);
  });
}
