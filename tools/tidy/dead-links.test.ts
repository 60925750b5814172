import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDeadLinks } from "./dead-links.ts";

const existing = new Set(["README.md", "docs/a.md", "docs/decisions", "src/x.ts"]);

const cases: readonly { text: string; dead: string | undefined }[] = [
  { text: "[a](a.md)", dead: undefined },
  { text: "[a](./a.md#part)", dead: undefined },
  { text: "[a](../README.md)", dead: undefined },
  { text: "[a](decisions/)", dead: undefined },
  { text: "[a](#part) [b](https://example.com/x) [c](mailto:x@example.com)", dead: undefined },
  { text: "```\n[a](gone.md)\n```\n`[a](gone.md)`", dead: undefined },
  { text: "[a](gone.md)", dead: "gone.md" },
  { text: '[a](gone.md#part "title")', dead: "gone.md#part" },
  { text: "![a](../src/y.png)", dead: "../src/y.png" },
  { text: "[a]: gone.md", dead: "gone.md" },
];

for (const { text, dead } of cases) {
  test(`checkDeadLinks() finds ${dead ?? "nothing"} in ${JSON.stringify(text)}`, () => {
    const files = [{ path: "docs/b.md", text: `\n${text}` }];
    const findings = checkDeadLinks(files, (path) => existing.has(path.replace(/\/$/, "")));
    const message = `the link to ${dead} leads nowhere: correct or delete it`;
    assert.deepEqual(findings, dead ? [{ path: "docs/b.md", line: 2, message }] : []);
  });
}
