import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTestOptions, type TestOptions } from "./test-options.ts";

const usual: TestOptions = {
  filters: [],
  repeat: 1,
  again: 0,
  isFresh: false,
  hasChecks: true,
  wantsHelp: false,
};
const cases: readonly [string, Partial<TestOptions> | string][] = [
  ["", {}],
  ["labels src/std", { filters: ["labels", "src/std"] }],
  ["--shuffle 7 labels", { seed: 7, filters: ["labels"] }],
  ["--shuffle=0 --repeat=3", { seed: 0, repeat: 3 }],
  ["--name=^a=b --jobs 4", { name: "^a=b", jobs: 4 }],
  ["--again 3", { again: 3 }],
  ["--fresh", { isFresh: true }],
  ["--no-checks x", { hasChecks: false, filters: ["x"] }],
  ["-h", { wantsHelp: true }],
  ["x --help", { filters: ["x"], wantsHelp: true }],
  ["--shuffle", "--shuffle needs a value"],
  ["--shuffle x", '--shuffle must be a whole number from 0 to 4294967295, not "x"'],
  ["--repeat 0", '--repeat must be a whole number from 1 to 10000, not "0"'],
  ["--frech", "unknown flag --frech"],
];

for (const [line, expected] of cases) {
  test(`parseTestOptions() reads "${line}"`, () => {
    const parse = () => parseTestOptions(line.split(" ").filter(Boolean));
    if (typeof expected === "string") assert.throws(parse, { message: expected });
    else assert.deepEqual(parse(), { ...usual, ...expected });
  });
}
