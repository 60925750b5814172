import assert from "node:assert/strict";
import test from "node:test";
import { compareKeys } from "./key-order.ts";

test("compareKeys() orders as the bytes of UTF-8 do", () => {
  const keys = [
    "",
    "/",
    "/a",
    "/a/",
    "/a/b",
    "/a0",
    "/ab",
    "é",
    "日",
    "\ud7ff",
    "\ue000",
    "\uffff",
  ];
  keys.push("😀", "😀a", "a😀", "a\uffee", "\u{10ffff}", "\u{10000}");
  for (const a of keys) {
    for (const b of keys) {
      const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
      assert.equal(Math.sign(compareKeys(a, b)), bytes, JSON.stringify([a, b]));
    }
  }
});
