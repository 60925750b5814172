import assert from "node:assert/strict";
import { test } from "node:test";
import { type IntOrString, intValue, parseIntOrString, scaledValue } from "./int-or-string.ts";

test("scaledValue() rounds percentages of the total", () => {
  const cases: [IntOrString, number, number, number][] = [
    // value, total, rounded up, rounded down
    [3, 10, 3, 3],
    ["25%", 10, 3, 2],
    ["25%", 8, 2, 2],
    ["0%", 10, 0, 0],
    ["100%", 7, 7, 7],
    ["150%", 3, 5, 4],
    ["-10%", 15, -1, -2],
    ["+5%", 100, 5, 5],
  ];
  for (const [value, total, up, down] of cases) {
    assert.equal(scaledValue(value, { total, roundUp: true }) + 0, up, String(value));
    assert.equal(scaledValue(value, { total, roundUp: false }) + 0, down, String(value));
  }
});

test("scaledValue() rejects other strings with upstream's messages", () => {
  const cases: [string, string][] = [
    ["10", "invalid type: string is not a percentage"],
    ["", "invalid type: string is not a percentage"],
    ["%", 'invalid value "%": strconv.Atoi: parsing "": invalid syntax'],
    ["a%", 'invalid value "a%": strconv.Atoi: parsing "a": invalid syntax'],
    ["1.5%", 'invalid value "1.5%": strconv.Atoi: parsing "1.5": invalid syntax'],
    [
      "9223372036854775808%",
      'invalid value "9223372036854775808%": strconv.Atoi: parsing "9223372036854775808": value out of range',
    ],
  ];
  for (const [text, message] of cases) {
    assert.throws(() => scaledValue(text, { total: 1, roundUp: true }), {
      name: "IntOrStringError",
      message: `invalid value for IntOrString: ${message}`,
    });
  }
});

test("IntOrString reads numbers in strings", () => {
  assert.equal(parseIntOrString("80"), 80);
  assert.equal(parseIntOrString("2147483648"), "2147483648");
  assert.equal(parseIntOrString("http"), "http");
  assert.equal(intValue("80"), 80);
  assert.equal(intValue("http"), 0);
});
