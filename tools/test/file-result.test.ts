import assert from "node:assert/strict";
import { test } from "node:test";
import { type ProcessEnd, type ReportedEvent, toFileResult } from "./file-result.ts";

const good: ProcessEnd = { code: 0, signal: null, output: "", leftovers: [] };
const place = { nesting: 0, line: 3 };

test("toFileResult() counts, and names a failed test with its parent tests", () => {
  const events: ReportedEvent[] = [
    { type: "start", name: "outer", nesting: 0 },
    { type: "start", name: "first", nesting: 1 },
    { type: "pass", name: "first", nesting: 1, line: 4, ms: 1 },
    { type: "start", name: "second", nesting: 1 },
    { type: "fail", name: "second", nesting: 1, line: 5, error: "boom" },
    { type: "start", name: "other", nesting: 0 },
    { type: "pass", name: "other", ...place, ms: 20 },
    { type: "skip", name: "later", ...place, reason: "needs root" },
    { type: "end" },
  ];
  assert.deepEqual(toFileResult("a.test.ts", events, { ...good, code: 1, output: "text" }), {
    file: "a.test.ts",
    passed: 2,
    failures: [{ names: ["outer", "second"], line: 5, error: "boom" }],
    skipped: [{ name: "later", reason: "needs root" }],
    durations: [{ name: "other", ms: 20 }],
    output: "text",
  });
});

const pass: ReportedEvent = { type: "pass", name: "a", ...place, ms: 1 };
const end: ReportedEvent = { type: "end" };
const ends: readonly [string, readonly ReportedEvent[], Partial<ProcessEnd>, readonly string[]][] =
  [
    ["ends well", [pass, end], {}, []],
    ["fails at its end", [pass, end], { code: 7 }, ["the process ended with exit code 7"]],
    [
      "is ended early",
      [pass],
      { code: null, signal: "SIGKILL" },
      ["the process was ended by SIGKILL before its tests were done"],
    ],
    [
      "does not load",
      [],
      { code: 1 },
      ["the process ended with exit code 1 before its tests were done"],
    ],
    [
      "leaves a process",
      [pass, end],
      { leftovers: ["12 etcd"] },
      ["it left processes behind:\n12 etcd"],
    ],
  ];

for (const [name, events, how, expected] of ends) {
  test(`toFileResult() of a process that ${name}`, () => {
    const { failures } = toFileResult("a.test.ts", events, { ...good, ...how });
    assert.deepEqual(
      failures.map(({ error }) => error),
      expected,
    );
  });
}
