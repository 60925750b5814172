import assert from "node:assert/strict";
import { test } from "node:test";
import { indentLines, wrapWords } from "./wrap-words.ts";

const cases: readonly { name: string; text: string; limit: number; wrapped: string }[] = [
  { name: "keeps what fits", text: "a bc def", limit: 8, wrapped: "a bc def" },
  { name: "breaks between words", text: "a bc def", limit: 7, wrapped: "a bc\ndef" },
  { name: "keeps line ends", text: "a\n\nb", limit: 9, wrapped: "a\n\nb" },
  { name: "keeps spaces inside lines", text: "  a  b", limit: 9, wrapped: "  a  b" },
  { name: "drops spaces where it breaks", text: "aaa   bbb", limit: 5, wrapped: "aaa\nbbb" },
  { name: "drops spaces at the end beyond the limit", text: "aaa  ", limit: 4, wrapped: "aaa" },
  {
    name: "moves long words down whole",
    text: "aa bbbbbbb c",
    limit: 4,
    wrapped: "aa\nbbbbbbb\nc",
  },
  { name: "counts characters", text: "äö üß", limit: 5, wrapped: "äö üß" },
  {
    name: "leaves a long word where it begins the line",
    text: " bbbbbb",
    limit: 4,
    wrapped: " bbbbbb",
  },
];

for (const { name, text, limit, wrapped } of cases) {
  test(`wrapWords() ${name}`, () => assert.equal(wrapWords(text, limit), wrapped));
}

test("indentLines() puts spaces before empty lines too", () => {
  assert.equal(indentLines("a\n\nb", 2), "  a\n  \n  b");
});
