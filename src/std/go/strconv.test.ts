import assert from "node:assert/strict";
import { test } from "node:test";
import { parseGoBool, parseGoFloat, parseGoInt, parseGoUint } from "./strconv.ts";

const bool = (text: string) => parseGoBool(text);
const int = (text: string) => parseGoInt(text, 32);
const int64 = (text: string) => parseGoInt(text, 64);
const uint = (text: string) => parseGoUint(text, 16);
const float = (text: string) => parseGoFloat(text);

const good: readonly [(text: string) => unknown, string, unknown][] = [
  [bool, "true", true],
  [bool, "T", true],
  [bool, "0", false],
  [int, "42", 42],
  [int, "+42", 42],
  [int, "-2147483648", -2147483648],
  [int, "0", 0],
  [int, "-0", 0],
  [int, "0x1F", 31],
  [int, "0b101", 5],
  [int, "0o17", 15],
  [int, "017", 15],
  [int, "1_000", 1000],
  [int, "0x_ff", 255],
  [int64, "9007199254740991", 9007199254740991],
  [uint, "65535", 65535],
  [float, "1.5", 1.5],
  [float, "-.5e2", -50],
  [float, "5.", 5],
  [float, "+Inf", Infinity],
];

for (const [parse, text, value] of good) {
  test(`${parse.name}: parses ${text}`, () => assert.equal(parse(text), value));
}

const bad: readonly [(text: string) => unknown, string, string][] = [
  [bool, "yes", 'strconv.ParseBool: parsing "yes": invalid syntax'],
  [bool, "", 'strconv.ParseBool: parsing "": invalid syntax'],
  [int, "x", 'strconv.ParseInt: parsing "x": invalid syntax'],
  [int, "", 'strconv.ParseInt: parsing "": invalid syntax'],
  [int, "1.5", 'strconv.ParseInt: parsing "1.5": invalid syntax'],
  [int, "08", 'strconv.ParseInt: parsing "08": invalid syntax'],
  [int, "1__0", 'strconv.ParseInt: parsing "1__0": invalid syntax'],
  [int, "_1", 'strconv.ParseInt: parsing "_1": invalid syntax'],
  [int, "--1", 'strconv.ParseInt: parsing "--1": invalid syntax'],
  [int, "2147483648", 'strconv.ParseInt: parsing "2147483648": value out of range'],
  [
    int64,
    "9223372036854775808",
    'strconv.ParseInt: parsing "9223372036854775808": value out of range',
  ],
  [uint, "-1", 'strconv.ParseUint: parsing "-1": invalid syntax'],
  [uint, "65536", 'strconv.ParseUint: parsing "65536": value out of range'],
  [float, "1e", 'strconv.ParseFloat: parsing "1e": invalid syntax'],
  [float, "1e999", 'strconv.ParseFloat: parsing "1e999": value out of range'],
];

for (const [parse, text, message] of bad) {
  test(`${parse.name}: refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => parse(text), new SyntaxError(message));
  });
}
