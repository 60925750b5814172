import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlagSet } from "#/std/flags/flags.ts";
import { flagsText, helpText, lineLimitOf } from "./help.ts";

const flags = {
  color: { type: "string", help: `${"word ".repeat(20)}end` },
} satisfies FlagSet;

const head = "    --color='':\n\t";

test("flagsText() breaks texts ten columns before the limit, each line behind a tab", () => {
  const [first, second] = [14, 6].map((count) => "word ".repeat(count).trimEnd());
  assert.equal(flagsText(flags, 80), `${head}${first}\n\t${second} end\n\n`);
});

test("flagsText() breaks nothing without a limit", () => {
  assert.equal(flagsText(flags), `${head}${"word ".repeat(20)}end\n\n`);
});

for (const [columns, limit] of [
  [200, 120],
  [120, 120],
  [119, 100],
  [80, 80],
  [79, 0],
] as const) {
  test(`lineLimitOf() breaks lines at ${limit} on a terminal of ${columns} columns`, () => {
    const output = { write: () => undefined, columns };
    assert.equal(lineLimitOf({ ...output, isTerminal: true }), limit);
    assert.equal(lineLimitOf({ ...output, isTerminal: false }), 0);
  });
}

test("helpText() breaks all lines for a terminal", () => {
  const [root, drain] = ["kubectl", "drain NODE"].map((usage) => ({
    usage,
    flags: {},
    run: () => undefined,
  }));
  assert.ok(root && drain);
  const lines = helpText([root, drain], { lineLimit: 80 }).split("\n");
  assert.deepEqual(
    lines.filter((line) => line.length > 80),
    [],
  );
});
