import assert from "node:assert/strict";
import { test } from "node:test";
import { type ExponentialBackoffOptions, exponentialBackoff } from "./backoff.ts";

const cases: readonly { name: string; options: ExponentialBackoffOptions; waits: number[] }[] = [
  { name: "doubles up to its cap", options: { baseMs: 5, maxMs: 35 }, waits: [5, 10, 20, 35, 35] },
  {
    name: "grows by its factor",
    options: { baseMs: 100, maxMs: 10_000, factor: 3 },
    waits: [100, 300, 900, 2_700, 8_100],
  },
  {
    name: "adds a share at random, never past the cap",
    options: { baseMs: 10, maxMs: 45, jitter: 0.5, random: () => 0.5 },
    waits: [12.5, 25, 45, 45, 45],
  },
  {
    name: "stays constant with factor 1",
    options: { baseMs: 10, maxMs: 45, factor: 1 },
    waits: [10, 10, 10, 10, 10],
  },
];

for (const { name, options, waits } of cases) {
  test(`exponentialBackoff() ${name}`, () => {
    assert.deepEqual([1, 2, 3, 4, 5].map(exponentialBackoff(options)), waits);
  });
}

test("exponentialBackoff() stays at its cap after any number of failures", () => {
  const backoff = exponentialBackoff({ baseMs: 5, maxMs: 1_000_000 });
  assert.equal(backoff(100_000), 1_000_000);
});

test("exponentialBackoff() jitters by itself", () => {
  const backoff = exponentialBackoff({ baseMs: 1_000, maxMs: 10_000, jitter: 1 });
  const waits = new Set(Array.from({ length: 20 }, () => backoff(1)));
  assert.ok(waits.size > 1);
  for (const wait of waits) assert.ok(wait >= 1_000 && wait <= 2_000);
});
