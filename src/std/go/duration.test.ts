import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDuration, parseDuration } from "./duration.ts";
import { DurationError } from "./nanoseconds.ts";

/** Text, milliseconds, and the text printed back if it differs. */
const good: readonly [string, number, string?][] = [
  ["0", 0, "0s"],
  ["0s", 0],
  ["1h30m5.5s", 5_405_500],
  ["1.5h", 5_400_000, "1h30m0s"],
  ["-1.5s", -1_500],
  ["+5s", 5_000, "5s"],
  ["100ms", 100],
  ["1us", 0.001, "1µs"],
  ["1μs", 0.001, "1µs"],
  ["1.5µs", 0.0015],
  ["3ns", 0.000003],
  ["12.345678ms", 12.345678],
  [".5s", 500, "500ms"],
  ["5.s", 5_000, "5s"],
  ["90m", 5_400_000, "1h30m0s"],
  ["1000000s", 1e9, "277h46m40s"],
];

for (const [text, ms, printed = text] of good) {
  test(`parseDuration() reads ${text} and formatDuration() writes ${printed}`, () => {
    assert.equal(parseDuration(text), ms);
    assert.equal(formatDuration(ms), printed);
  });
}

const bad: readonly [string, string][] = [
  ["", 'time: invalid duration ""'],
  ["-", 'time: invalid duration "-"'],
  ["x", 'time: invalid duration "x"'],
  ["5", 'time: missing unit in duration "5"'],
  ["1h5", 'time: missing unit in duration "1h5"'],
  ["5d", 'time: unknown unit "d" in duration "5d"'],
  ["5constructor", 'time: unknown unit "constructor" in duration "5constructor"'],
  ["5µ", 'time: unknown unit "\\xc2\\xb5" in duration "5\\xc2\\xb5"'],
  [".s", 'time: invalid duration ".s"'],
  ["9999999h", 'time: invalid duration "9999999h"'],
];

for (const [text, message] of bad) {
  test(`parseDuration() refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseDuration(text), new DurationError(message));
  });
}
