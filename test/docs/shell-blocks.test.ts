import assert from "node:assert/strict";
import { test } from "node:test";
import { shellBlocks } from "./shell-blocks.ts";

test("shellBlocks() finds the blocks marked sh, with their lines, and no others", () => {
  const text = "# a\n\n```sh\none\ntwo\n```\n\n```\nnot this\n```\n\n```sh\nthree\n```\n";
  assert.deepEqual(shellBlocks("a.md", text), [
    { file: "a.md", line: 4, commands: "one\ntwo\n" },
    { file: "a.md", line: 13, commands: "three\n" },
  ]);
});
