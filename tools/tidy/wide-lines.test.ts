import assert from "node:assert/strict";
import { test } from "node:test";
import { checkWideLines } from "./wide-lines.ts";

const words = (columns: number) => "ab ".repeat(columns / 3).trimEnd();

const cases: readonly { name: string; text: string; found: boolean }[] = [
  { name: "a line of 119 columns", text: words(120), found: false },
  { name: "a line of 122 columns", text: words(123), found: true },
  { name: "a wide item of a list", text: `- ${words(123)}`, found: true },
  { name: "a wide row of a table", text: `| ${words(123)} |`, found: false },
  { name: "wide code", text: `\`\`\`\n${words(123)}\n\`\`\``, found: false },
  { name: "a wide line after code", text: `\`\`\`\nx\n\`\`\`\n${words(123)}`, found: true },
  { name: "one long word", text: `- <https://example.com/${"x".repeat(120)}>`, found: false },
];

for (const { name, text, found } of cases) {
  test(`checkWideLines() ${found ? "finds" : "accepts"} ${name}`, () => {
    assert.equal(checkWideLines([{ path: "a.md", text }]).length, found ? 1 : 0);
  });
}
