import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLeftovers } from "./leftovers.ts";

const todo = ["TO", "DO"].join("");
const fixme = ["FIX", "ME"].join("");

const cases: readonly { text: string; message?: string }[] = [
  { text: `// ${fixme}: later`, message: `${fixme}: do it now, or open an issue` },
  { text: `// ${todo} later`, message: `${todo} without an issue number: do it now, or write #N` },
  { text: `// ${todo} #12: later` },
  { text: `// ${todo}(#12): later` },
  { text: `const ${todo}S = 1;` },
];

for (const { text, message } of cases) {
  test(`checkLeftovers() ${message ? "refuses" : "allows"} ${text}`, () => {
    const findings = checkLeftovers([{ path: "src/a.ts", text: `\n${text}` }]);
    assert.deepEqual(findings, message ? [{ path: "src/a.ts", line: 2, message }] : []);
  });
}
