import assert from "node:assert/strict";
import { test } from "node:test";
import { compareText } from "./compare-text.ts";

test("compareText() orders texts by their UTF-8 bytes", () => {
  const texts = [
    "",
    "a",
    "aa",
    "b",
    "ä",
    "\u{d7ff}",
    "\u{e000}",
    "\u{ffff}",
    "\u{10000}",
    "\u{10ffff}",
  ];
  for (const a of texts) {
    for (const b of texts) {
      const want = Buffer.compare(Buffer.from(a), Buffer.from(b));
      assert.equal(Math.sign(compareText(a, b)), want, JSON.stringify([a, b]));
    }
  }
});
