import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFieldErrors } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { FieldReport } from "../rules/field-report.ts";
import { intOrPercentValue, validateAtMostWhole, validateIntOrPercent } from "./int-or-percent.ts";

const percent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

const cases: readonly [value: number | string, number: number, message: string][] = [
  [0, 0, ""],
  [5, 5, ""],
  [-1, -1, "f.x: Invalid value: -1: must be greater than or equal to 0"],
  ["25%", 25, ""],
  ["100%", 100, ""],
  ["101%", 101, 'f.x: Invalid value: "101%": must not be greater than 100%'],
  ["5", 5, `f.x: Invalid value: "5": ${percent}`],
  ["x", 0, `f.x: Invalid value: "x": ${percent}`],
  ["-5%", 0, `f.x: Invalid value: "-5%": ${percent}`],
];

for (const [value, number, message] of cases) {
  test(`validateIntOrPercent() and intOrPercentValue() of ${JSON.stringify(value)}`, () => {
    const report = new FieldReport();
    validateIntOrPercent(report, fieldPath("f"), "x", value);
    validateAtMostWhole(report, fieldPath("f"), "x", value);
    assert.equal(formatFieldErrors(report.errors), message);
    assert.equal(intOrPercentValue(value), number);
  });
}
