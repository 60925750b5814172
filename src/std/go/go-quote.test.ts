import assert from "node:assert/strict";
import { test } from "node:test";
import { goQuote } from "./go-quote.ts";

const cases: readonly [string, string][] = [
  ["", '""'],
  ["plain text", '"plain text"'],
  ['say "hi" \\o/', '"say \\"hi\\" \\\\o/"'],
  ["\x00\x07\b\t\n\v\f\r\x1b\x7f", '"\\x00\\a\\b\\t\\n\\v\\f\\r\\x1b\\x7f"'],
  ["Grüße, 世界 😀", '"Grüße, 世界 😀"'],
  ["\u00a0\u200b\ufeff", '"\\u00a0\\u200b\\ufeff"'],
  ["\u{e0001}", '"\\U000e0001"'],
  ["\ud800", '"\ufffd"'],
];

for (const [text, quoted] of cases) {
  test(`goQuote() writes ${quoted}`, () => assert.equal(goQuote(text), quoted));
}
