import assert from "node:assert/strict";
import { test } from "node:test";
import { humanDuration } from "./human-duration.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

const durations: readonly [ms: number, text: string][] = [
  [-2 * second, "<invalid>"],
  [-1999, "0s"],
  [-second, "0s"],
  [0, "0s"],
  [1999, "1s"],
  [119 * second, "119s"],
  [2 * minute, "2m"],
  [2 * minute + 3 * second, "2m3s"],
  [9 * minute + 59 * second, "9m59s"],
  [10 * minute + 59 * second, "10m"],
  [179 * minute, "179m"],
  [3 * hour, "3h"],
  [3 * hour + 20 * minute, "3h20m"],
  [8 * hour + 59 * minute, "8h"],
  [47 * hour, "47h"],
  [2 * day, "2d"],
  [2 * day + 5 * hour, "2d5h"],
  [8 * day + 5 * hour, "8d"],
  [2 * year - 1, "729d"],
  [2 * year, "2y"],
  [2 * year + 10 * day, "2y10d"],
  [8 * year + 10 * day, "8y"],
];

for (const [ms, text] of durations) {
  test(`humanDuration() writes ${ms} ms as ${text}`, () => {
    assert.equal(humanDuration(ms), text);
  });
}

test("humanDuration() is monotonic: a text is never repeated for a longer duration", () => {
  const said = new Set<string>();
  let last = "";
  const steps = [
    { until: 600, by: 1 },
    { until: 8 * 3600, by: 60 },
    { until: 8 * 86_400, by: 3600 },
    { until: 12 * 365 * 86_400, by: 86_400 },
  ];
  for (let seconds = 0; seconds < (steps.at(-1)?.until ?? 0); ) {
    const text = humanDuration(seconds * 1000);
    if (text !== last) assert.ok(!said.has(text), text);
    said.add(text);
    last = text;
    seconds += steps.find(({ until }) => seconds < until)?.by ?? 1;
  }
});
