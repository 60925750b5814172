import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCsvRecord, parseCsvRecord } from "./csv-record.ts";

const good: readonly [string, string[]][] = [
  ["a", ["a"]],
  ["a,b,c", ["a", "b", "c"]],
  ["a,,", ["a", "", ""]],
  [",", ["", ""]],
  ['"a,b",c', ["a,b", "c"]],
  ['"say ""hi""",x', ['say "hi"', "x"]],
  ['a," b"', ["a", " b"]],
  ['"a\nb",c', ["a\nb", "c"]],
];

for (const [text, fields] of good) {
  test(`parseCsvRecord() and formatCsvRecord() agree on ${JSON.stringify(text)}`, () => {
    assert.deepEqual(parseCsvRecord(text), fields);
    assert.equal(formatCsvRecord(fields), text);
  });
}

test("parseCsvRecord() ends at the line end", () => {
  assert.deepEqual(parseCsvRecord("a,b\nc"), ["a", "b"]);
});

const bad: readonly [string, string][] = [
  ['a"b', 'parse error on line 1, column 2: bare " in non-quoted-field'],
  ['x,a"b', 'parse error on line 1, column 4: bare " in non-quoted-field'],
  ['"a"b,c', 'parse error on line 1, column 3: extraneous or missing " in quoted-field'],
  ['"ab""', 'parse error on line 1, column 6: extraneous or missing " in quoted-field'],
  ['"ab', 'parse error on line 1, column 4: extraneous or missing " in quoted-field'],
];

for (const [text, message] of bad) {
  test(`parseCsvRecord() refuses ${text}`, () => {
    assert.throws(() => parseCsvRecord(text), new SyntaxError(message));
  });
}
