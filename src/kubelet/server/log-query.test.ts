import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLogQuery } from "./log-query.ts";

const nowMs = Date.parse("2026-01-01T00:00:00Z");

/** Queries, and the values that differ from those of an empty one. */
const accepted: Readonly<Record<string, Partial<ReturnType<typeof parseLogQuery>>>> = {
  "": {},
  "follow=false&previous=0&timestamps=False": {},
  "follow=true&previous=1&timestamps": { follow: true, previous: true, timestamps: true },
  "tail=5": { tailLines: 5 },
  "tail=all": {},
  "tailLines=0": { tailLines: 0 },
  "tailLines=&limitBytes=": {},
  "tailLines=9223372036854775807": { tailLines: 2 ** 63 },
  "limitBytes=1": { limitBytes: 1 },
  "sinceSeconds=60": { sinceMs: nowMs - 60_000 },
  "sinceTime=2025-12-31T23:59:00%2B00:00": { sinceMs: nowMs - 60_000 },
  "stream=Stderr": { streams: new Set(["stderr"] as const) },
  "__proto__=1&constructor=2": {},
};

for (const [query, expected] of Object.entries(accepted)) {
  test(`parseLogQuery() reads ${query || "nothing"}`, () => {
    const usual = parseLogQuery(new URLSearchParams(), nowMs);
    assert.deepEqual(parseLogQuery(new URLSearchParams(query), nowMs), { ...usual, ...expected });
  });
}

const refused: Readonly<Record<string, number>> = {
  "tailLines=-1": 422,
  "limitBytes=0": 422,
  "sinceSeconds=0": 422,
  "sinceSeconds=-5": 422,
  "sinceSeconds=5&sinceTime=2026-01-01T00:00:00Z": 422,
  "stream=Other": 422,
  "stream=constructor": 422,
  "stream=Stdout&tailLines=1": 422,
  "tailLines=x": 400,
  "tailLines=1e3": 400,
  "tailLines=9223372036854775808": 400,
  [`tailLines=${"9".repeat(5_000)}`]: 400,
  "limitBytes=0x10": 400,
  "sinceTime=yesterday": 400,
  "sinceTime=2026-13-01T00:00:00Z": 400,
};

for (const [query, status] of Object.entries(refused)) {
  test(`parseLogQuery() refuses ${query.slice(0, 60)} with ${status}`, () => {
    assert.throws(() => parseLogQuery(new URLSearchParams(query), nowMs), { status });
  });
}
