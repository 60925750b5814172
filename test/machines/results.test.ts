import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { allChecks } from "./checks/index.ts";
import { mergeRecorded, type Recorded, renderResults, resultsTable } from "./results.ts";

const result = (machine: string, check: string, passed: boolean) => ({
  machine,
  check,
  passed,
  seconds: 1.6,
});

const older: Recorded = {
  machines: [{ machine: "Debian 13", facts: "13.1, 6.12" }],
  results: [result("Debian 13", "up", false), result("Debian 13", "reboot", true)],
};
const newer: Recorded = {
  machines: [{ machine: "Debian 12", facts: "12.1, 6.1" }],
  results: [
    { ...result("Debian 12", "up", true), note: "3 s" },
    { ...result("Debian 13", "up", true), note: "4 s" },
  ],
};

test("mergeRecorded() keeps the last result of each machine and check", () => {
  const { machines, results } = mergeRecorded(older, newer);
  assert.deepEqual(
    machines.map(({ machine }) => machine),
    ["Debian 12", "Debian 13"],
  );
  assert.deepEqual(
    results.map(({ machine, check, passed }) => [machine, check, passed]),
    [
      ["Debian 13", "up", true],
      ["Debian 13", "reboot", true],
      ["Debian 12", "up", true],
    ],
  );
});

test("resultsTable() has a row for each check that ran, in order, and the measured figures", () => {
  assert.equal(
    resultsTable(mergeRecorded(older, newer), ["up", "never run", "reboot"]),
    `- Debian 12: 12.1, 6.1
- Debian 13: 13.1, 6.12

| tried | Debian 12 | Debian 13 |
| --- | --- | --- |
| up | ok, 2 s | ok, 2 s |
| reboot | not run | ok, 2 s |

Measured there:

- up: Debian 12: 3 s; Debian 13: 4 s
`,
  );
  assert.match(resultsTable(older, ["up"]), /\| up \| \*\*fails\*\* \|/);
});

test("renderResults() changes nothing outside its two places", () => {
  const machines = "<!-- results: written by test/machines/run.ts --record -->";
  const arm64 = "<!-- results of arm64: written by test/machines/run.ts --arm64 --record -->";
  const end = "<!-- end of results -->";
  const document = `before\n${machines}\nold\n${end}\nbetween\n${arm64}\n${end}\nafter\n`;
  const both = mergeRecorded(newer, {
    machines: [{ machine: "arm64", facts: "emulated" }],
    results: [result("arm64", "codec", true)],
  });
  const text = renderResults(document, both, ["up", "codec"]);
  const rows = text
    .split("\n")
    .filter((line) => /^(before|between|after|\| (up|codec))/.test(line));
  assert.deepEqual(rows, ["before", "| up | ok, 2 s |", "between", "| codec | ok, 2 s |", "after"]);
  assert.equal(renderResults(text, both, ["up", "codec"]), text);
  assert.throws(() => renderResults("nothing", both, []), /no place/);
});

test("checks have names of their own, short enough for a row", () => {
  const names = allChecks.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(
    names.filter((name) => name.length > 80 || name.includes("|")),
    [],
  );
});

test("docs/machines.md contains the recorded results", () => {
  const recorded: Recorded = JSON.parse(
    readFileSync(new URL("recorded/results.json", import.meta.url), "utf8"),
  );
  const document = readFileSync(new URL("../../docs/machines.md", import.meta.url), "utf8");
  const order = allChecks.map(({ name }) => name);
  assert.equal(renderResults(document, recorded, order), document);
});
