import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSleeps } from "./sleeps.ts";

interface Case {
  readonly path?: string;
  readonly code: string;
  readonly isRefused?: boolean;
}

const cases: readonly Case[] = [
  { code: "await systemClock.sleep(50);", isRefused: true },
  { code: "await sleep(50);", isRefused: true },
  { code: "while (!ready) await sleep(5);", isRefused: true },
  { code: "const passTime = (ms) => systemClock.sleep(ms);", isRefused: true },
  { path: "test/faults/program.ts", code: "await sleep(50);", isRefused: true },
  { path: "src/testing/start.ts", code: "await sleep(50);", isRefused: true },
  { path: "src/a.contract.ts", code: "await sleep(50);", isRefused: true },
  { code: "// the reason\n\nawait sleep(50);", isRefused: true },
  { code: "f(); // no reason\nawait sleep(50);", isRefused: true },
  { code: "// etcd has its own clock\nawait sleep(50);" },
  { code: "/** etcd has its own clock. */\nawait sleep(50);" },
  { code: "/*\n * etcd has its own clock.\n */\nawait sleep(50);" },
  { code: "await clock.sleep(50);" },
  { code: "const { promise } = mySleep(50);" },
  { code: 'spawn("sh", ["-c", "sleep(50)"]);' },
  { path: "src/testing/until.ts", code: "await systemClock.sleep(10);" },
  { path: "src/std/time/clock.test.ts", code: "await systemClock.sleep(10);" },
  { path: "src/kubelet/restart.ts", code: "await sleep(50);" },
];

for (const { path = "src/a.test.ts", code, isRefused = false } of cases) {
  test(`checkSleeps() ${isRefused ? "refuses" : "allows"} ${JSON.stringify(code)} in ${path}`, () => {
    const findings = checkSleeps([{ path, text: `first();\n${code}` }]);
    const lines = findings.map((finding) => `${finding.path}:${finding.line}`);
    const last = code.split("\n").length + 1;
    assert.deepEqual(lines, isRefused ? [`${path}:${last}`] : []);
  });
}
