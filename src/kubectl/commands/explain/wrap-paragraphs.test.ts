import assert from "node:assert/strict";
import { test } from "node:test";
import { wrapParagraphs } from "./wrap-paragraphs.ts";

const cases: readonly { name: string; text: string; lines: string[] }[] = [
  { name: "has no line for no text", text: "", lines: [] },
  { name: "joins lines", text: "one\ntwo", lines: ["one two"] },
  { name: "breaks at the width", text: "one two three", lines: ["one two", "three"] },
  {
    name: "keeps paragraphs apart",
    text: "one two ninety\n\nten",
    lines: ["one two", "ninety", "", "ten"],
  },
  {
    name: "keeps bullets",
    text: "one\n- two\n* six\n1. ten",
    lines: ["one", "- two", "* six", "1. ten"],
  },
  { name: "keeps code", text: "one\n    two   six   ten", lines: ["one", "    two   six   ten"] },
  { name: "breaks after a colon", text: "one:\ntwo", lines: ["one:", "two"] },
  {
    name: "leaves long words whole",
    text: "a incomprehensible b",
    lines: ["a", "incomprehensible", "b"],
  },
];

for (const { name, text, lines } of cases) {
  test(`wrapParagraphs() ${name}`, () => assert.deepEqual(wrapParagraphs(text, 11), lines));
}
