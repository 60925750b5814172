import assert from "node:assert/strict";
import { test } from "node:test";
import { goUnquote, goUnquoteCharacter } from "./go-unquote.ts";

const texts: readonly (readonly [quoted: string, meant: string | undefined])[] = [
  ['"plain"', "plain"],
  ["'plain'", "plain"],
  ['"a\\tb\\n\\\\"', "a\tb\n\\"],
  ['"\\""', '"'],
  ["'\\''", "'"],
  ['"\\\'"', undefined],
  ['"\\x41\\101\\u00e9\\U0001F600"', "AAé😀"],
  // Several bytes form a UTF-8 character.
  ['"\\xc3\\xa9"', "é"],
  ['"\\400"', undefined],
  ['"\\ud800"', undefined],
  ['"\\q"', undefined],
  ['"a"b"', undefined],
];
for (const [quoted, meant] of texts) {
  test(`goUnquote() of ${quoted} is ${JSON.stringify(meant)}`, () => {
    assert.equal(goUnquote(quoted), meant);
  });
}

const characters: readonly (readonly [quoted: string, number: number | undefined])[] = [
  ["'a'", 97],
  ["'\\n'", 10],
  ["'\\''", 39],
  ["'\\xff'", 255],
  ["'\\377'", 255],
  ["'é'", 233],
  ["'😀'", 128512],
  ["'ab'", undefined],
  ["''", undefined],
];
for (const [quoted, number] of characters) {
  test(`goUnquoteCharacter() of ${quoted} is ${number}`, () => {
    assert.equal(goUnquoteCharacter(quoted), number);
  });
}
