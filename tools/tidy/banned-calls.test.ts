import assert from "node:assert/strict";
import { test } from "node:test";
import { checkBannedCalls } from "./banned-calls.ts";

const time = "take a Clock (#/std/time/clock.ts)";

const cases: readonly { path: string; code: string; message?: string }[] = [
  {
    path: "src/a.ts",
    code: "const t = Date.now();",
    message: `Date.now is not for here: ${time}`,
  },
  { path: "src/std/time/clock.ts", code: "const t = Date.now();" },
  { path: "bench/a.ts", code: "const t = performance.now();" },
  { path: "src/a.ts", code: "new Date( )", message: `new Date( ) is not for here: ${time}` },
  { path: "src/a.ts", code: "new Date(ms)" },
  {
    path: "src/a.test.ts",
    code: "setTimeout(f)",
    message: `setTimeout() is not for here: ${time}`,
  },
  {
    path: "src/a.ts",
    code: "import { setTimeout } from 'node:timers/promises'",
    message: `node:timers/promises is only for integration and faults tests: ${time}`,
  },
  { path: "test/e2e/a.test.ts", code: "import { setTimeout } from 'node:timers/promises'" },
  { path: "src/storage/etcd.faults.test.ts", code: "import {} from 'node:timers/promises'" },
  {
    path: "src/a.ts",
    code: "console.log(1)",
    message: "console. is not for here: use logger() (#/std/log/log.ts)",
  },
  {
    path: "src/a.ts",
    code: "process.exit(1)",
    message: "process.exit() is not for here: return an exit code to bin, or abort a signal",
  },
  { path: "bin/a.ts", code: "process.exit(1)" },
  {
    path: "src/a.ts",
    code: "Math.random()",
    message: "Math.random is not for here: take a Random (#/std/base/random.ts)",
  },
  { path: "src/std/base/random.ts", code: "Math.random()" },
  {
    path: "src/a.ts",
    code: "new URL(request.url, origin)",
    message: "request.url is not for here: use requestUrl() (#/std/net/request-url.ts)",
  },
  {
    path: "src/a.ts",
    code: "({ url = '' }: IncomingMessage) => url",
    message:
      "{ url = '' }: IncomingMessage is not for here: use requestUrl() (#/std/net/request-url.ts)",
  },
  { path: "src/a.ts", code: '// Date.now()\nconst s = "console.log"' },
];

for (const { path, code, message } of cases) {
  test(`checkBannedCalls() ${message ? "refuses" : "allows"} ${code} in ${path}`, () => {
    const findings = checkBannedCalls([{ path, text: `\n${code}` }]);
    assert.deepEqual(findings, message ? [{ path, line: 2, message }] : []);
  });
}
