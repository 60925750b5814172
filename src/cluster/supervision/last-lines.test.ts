import assert from "node:assert/strict";
import { test } from "node:test";
import { componentFilter } from "./component-log.ts";
import { lastLines } from "./last-lines.ts";

const nowMs = new Date(2026, 0, 2, 12, 0, 0).getTime();
const entry = (minute: number, component: string): string =>
  `I0102 11:0${minute}:00.000000       1 a.ts:1] "m" component="${component}" logger="x"`;
const log = [
  "a line before the first entry",
  entry(1, "kubelet"),
  "\tmore of 1",
  entry(2, "network"),
  "supervise: agent ended with code 1",
  entry(3, "kubelet"),
];

/** Yields lines from the last to the first, and counts them. */
function backward(lines: readonly string[]) {
  const counted = { read: 0 };
  async function* read() {
    for (const line of lines.toReversed()) {
      counted.read++;
      yield line;
    }
  }
  return { counted, lines: read() };
}

const minute = (count: number): number => new Date(2026, 0, 2, 11, count, 0).getTime();

for (const { name, options, expected, read } of [
  { name: "all", options: {}, expected: log, read: 6 },
  { name: "none", options: { tail: 0 }, expected: [], read: 0 },
  { name: "the last", options: { tail: 1 }, expected: log.slice(5), read: 1 },
  { name: "two", options: { tail: 2 }, expected: log.slice(4), read: 3 },
  { name: "since a time", options: { sinceMs: minute(2) }, expected: log.slice(3), read: 5 },
  {
    name: "one component's",
    options: { filter: () => componentFilter("kubelet") },
    expected: [log[1], log[2], log[5]],
    read: 6,
  },
]) {
  test(`lastLines() of a log: ${name}`, async () => {
    const { counted, lines } = backward(log);
    const defaults = { program: "agent", nowMs, sinceMs: 0, tail: -1 };
    const found = await lastLines(lines, { ...defaults, ...options });
    assert.deepEqual(
      found.map(({ line }) => line),
      expected,
    );
    assert.equal(counted.read, read, "lines that were read");
  });
}
