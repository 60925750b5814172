import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileResult } from "./file-result.ts";
import { finalReport, hasFailed, rerunCommand, testReport } from "./report.ts";

const good: FileResult = {
  file: "src/a.test.ts",
  passed: 3,
  failures: [],
  skipped: [],
  durations: [{ name: "slow one", ms: 1234 }],
  output: "not shown",
};
const types = { name: "types", command: "tsc", isGood: true, output: "not shown" };

test("testReport() and finalReport() of a good run have the slowest tests and the counts", () => {
  assert.equal(testReport([good]), "\nSlowest:\n    1.2 s  src/a.test.ts: slow one\n");
  assert.equal(finalReport([good], [types]), "\n4 passed, 0 failed, 0 skipped\n");
  assert.equal(hasFailed([good], [types]), false);
});

test("testReport() has each skip with its reason, and each failure once with its command", () => {
  const bad: FileResult = {
    ...good,
    file: "src/b.test.ts",
    passed: 1,
    failures: [
      { names: ["outer", "inner"], line: 9, error: "Error: boom\n    at x" },
      { names: [], line: 0, error: "the process ended with exit code 1" },
    ],
    skipped: [{ name: "mounts", reason: "needs root" }],
    durations: [],
    output: "written\n\nlast\n",
  };
  const lint = { name: "lint", command: "biome check", isGood: false, output: "a.ts is wrong\n" };
  assert.equal(
    testReport([bad, { ...bad, seed: 7 }]),
    `Skipped:
  src/b.test.ts: mounts: needs root

Failed:
${["", " --shuffle 7"]
  .map(
    (order) => `  src/b.test.ts:9 outer > inner
    Error: boom
        at x
    run again: ./k8ts test src/b.test.ts${order} --name '^outer'

  src/b.test.ts
    the process ended with exit code 1
    run again: ./k8ts test src/b.test.ts${order}

  What src/b.test.ts wrote, the end of it:
    written

    last
`,
  )
  .join("\n")}`,
  );
  assert.equal(
    finalReport([bad, bad], [lint, types]),
    `Failed checks:
  lint
    a.ts is wrong
    run again: biome check

3 passed, 5 failed, 2 skipped
`,
  );
  assert.equal(hasFailed([good, bad], []), true);
  assert.equal(hasFailed([good], [lint]), true);
});

test("testReport() shows why an unsteady file failed first", () => {
  const first = {
    ...good,
    failures: [{ names: ["slow one"], line: 3, error: "boom" }],
    output: "",
  };
  assert.match(
    testReport([good], [first]),
    /\n\nUnsteady, [^:]+:\n {2}src\/a\.test\.ts:3 slow one\n {4}boom\n {4}run again: /,
  );
});

test("rerunCommand() escapes names for the shell and for the pattern", () => {
  assert.equal(rerunCommand("a.test.ts"), "./k8ts test a.test.ts");
  assert.equal(
    rerunCommand("a.test.ts", "get() isn't [ok]"),
    "./k8ts test a.test.ts --name '^get\\(\\) isn'\\''t \\[ok\\]'",
  );
});
