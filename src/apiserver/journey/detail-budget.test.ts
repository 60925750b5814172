import assert from "node:assert/strict";
import { test } from "node:test";
import { DetailBudget } from "./detail-budget.ts";

/** How many of some requests are detailed, after those of the burst. */
function detailed({ count, gapMs }: { readonly count: number; readonly gapMs: number }): number {
  const time = { ms: 0 };
  const budget = new DetailBudget({ monotonicMs: () => time.ms });
  while (budget.tryTake());
  let taken = 0;
  for (let index = 0; index < count; index++) {
    time.ms += gapMs;
    if (budget.tryTake()) taken++;
  }
  return taken;
}

for (const { name, count, gapMs, expected } of [
  { name: "all of a quiet server", count: 20, gapMs: 1000, expected: [20, 20] },
  { name: "four per second", count: 100, gapMs: 100, expected: [39, 41] },
  { name: "few of a busy server", count: 12_800, gapMs: 0.5, expected: [25, 27] },
  {
    name: "few of a busy server that gets little of its processor",
    count: 1280,
    gapMs: 20,
    expected: [9, 11],
  },
] as const) {
  test(`DetailBudget takes ${name}`, () => {
    const found = detailed({ count, gapMs });
    assert.ok(found >= expected[0] && found <= expected[1], String(found));
  });
}

test("DetailBudget takes a burst, and a few of each later one", () => {
  const time = { ms: 0 };
  const budget = new DetailBudget({ monotonicMs: () => time.ms });
  const burst = () => Array.from({ length: 100 }, () => budget.tryTake()).filter(Boolean).length;
  assert.equal(burst(), 10);
  time.ms += 60_000;
  assert.equal(burst(), 4);
});
