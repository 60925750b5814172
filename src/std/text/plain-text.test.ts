import assert from "node:assert/strict";
import { test } from "node:test";
import { plainLine, plainText } from "./plain-text.ts";

for (const { text, plain, line = plain } of [
  { text: "web-1 使用者 é\tx", plain: "web-1 使用者 é\tx" },
  { text: "a\nb", plain: "a\nb", line: "a\\nb" },
  { text: "\x1b[2Ja\rb\x07", plain: "\\u001b[2Ja\\u000db\\u0007" },
  { text: "\x9b31m", plain: "\\u009b31m" },
  { text: "\u202eabc", plain: "\\u202eabc" },
]) {
  test(`plainText() of ${JSON.stringify(text)}`, () => {
    assert.equal(plainText(text), plain);
    assert.equal(plainLine(text), line);
  });
}
