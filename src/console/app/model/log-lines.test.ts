import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeByTime, parseLogLine } from "./log-lines.ts";

test("mergeByTime() puts events between the lines of a log", () => {
  const lines = ["2026-01-01T00:00:01Z one", "2026-01-01T00:00:03.5Z three"].map((line) =>
    parseLogLine(line, "main"),
  );
  const event = {
    ms: Date.parse("2026-01-01T00:00:02Z"),
    text: "two",
    source: "BackOff",
    kind: "warning" as const,
  };
  assert.deepEqual(
    mergeByTime(lines, [event]).map(({ text }) => text),
    ["one", "two", "three"],
  );
  assert.deepEqual(parseLogLine("no time", "main"), {
    ms: 0,
    text: "no time",
    source: "main",
    kind: "log",
  });
});
