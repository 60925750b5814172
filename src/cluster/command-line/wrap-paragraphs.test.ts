import assert from "node:assert/strict";
import { test } from "node:test";
import { wrapParagraphs } from "./wrap-paragraphs.ts";

test("wrapParagraphs() breaks paragraphs at 80 columns, and keeps indented lines", () => {
  const words = Array.from({ length: 12 }, () => "abcdefghi").join(" ");
  const table = "  add    adds\n  remove removes";
  const [first, second] = [words.slice(0, 79), words.slice(80)];
  assert.equal(
    wrapParagraphs(`${words.replaceAll(" ", "\n")}\n\n${table}\n\nend`),
    `${first}\n${second}\n\n${table}\n\nend`,
  );
});
