import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPlainWords } from "./plain-words.ts";

interface Case {
  readonly path?: string;
  readonly code: string;
  readonly message?: string;
}

const limit = 'write "Limit of X (unit): why"';
const caller = "name the caller, client or program";

const cases: readonly Case[] = [
  { code: "// nobody reads it", message: `"nobody" is an idiom: ${caller}` },
  { code: "/** Whoever asks. */", message: `"Whoever" is an idiom: ${caller}` },
  { code: "/**\n * Kept\n * so many times.\n */", message: `"so many" is an idiom: ${limit}` },
  { code: "f(); // After so long.", message: `"so long" is an idiom: ${limit}` },
  { code: "const a = 1; // somebody", message: `"somebody" is an idiom: ${caller}` },
  {
    code: 'log.error(error, "Budget could not be told", { budget });',
    message: '"told" is an idiom: write report, notify, record or call',
  },
  {
    code: 'context.log.v(2, "reading anew");',
    message: '"anew" is an idiom: write again, restart, recreate or reset',
  },
  {
    code: "test(`the part tells`, () => undefined);",
    message: '"tells" is an idiom: write report, notify, record or call',
  },
  { code: 'contractTest(open, "whoever", f);', message: `"whoever" is an idiom: ${caller}` },
  {
    path: "src/a.test.ts",
    code: '  name: "for nobody else",',
    message: `"nobody" is an idiom: ${caller}`,
  },
  { code: "// as long as it runs, so long as it runs" },
  { code: "// the smallest, the untold, a teller" },
  { code: 'throw new Error("nobody");' },
  { code: 'const user = { name: "nobody" };' },
  { path: "src/a.test.ts", code: 'const user = { name: "nobody" };' },
  { code: "const nobody = 1;" },
  { code: 'const text = "// nobody";' },
];

for (const { path = "src/a.ts", code, message } of cases) {
  test(`checkPlainWords() ${message ? "refuses" : "allows"} ${JSON.stringify(code)} in ${path}`, () => {
    const findings = checkPlainWords([{ path, text: `first();\n${code}\nlast();` }]);
    assert.deepEqual(
      findings.map((finding) => finding.message),
      message ? [message] : [],
    );
  });
}

test("checkPlainWords() reports the line", () => {
  const [finding] = checkPlainWords([{ path: "bin/a.ts", text: "f();\n\n// lest it fail\n" }]);
  assert.deepEqual([finding?.path, finding?.line], ["bin/a.ts", 3]);
});
