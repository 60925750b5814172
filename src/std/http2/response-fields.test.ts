import assert from "node:assert/strict";
import { test } from "node:test";
import { isResponse } from "./response-fields.ts";

for (const { fields, expected } of [
  { fields: [":status", "200", "x-own", "yes", "content-length", "4"], expected: true },
  { fields: ["grpc-status", "0"], expected: true },
  { fields: [":status", "200", "x", "a\r\nset-cookie: a=b"], expected: false },
  { fields: [":status", "200", "x", "a\0"], expected: false },
  { fields: [":status", "200", "x\r\ny", "a"], expected: false },
  { fields: [":status", "200", "x: y", "a"], expected: false },
  { fields: [":status", "200", "X", "a"], expected: false },
  { fields: [":status", "200", "", "a"], expected: false },
  { fields: [":status", "20"], expected: false },
  { fields: [":status", "200", ":status", "204"], expected: false },
  { fields: ["x", "y", ":status", "200"], expected: false },
  { fields: [":status", "200", ":path", "/"], expected: false },
  { fields: [":status", "200", "content-length", "4, 4"], expected: false },
  {
    fields: [":status", "200", "content-length", "4", "content-length", "4"],
    expected: false,
  },
]) {
  test(`isResponse(${JSON.stringify(fields)}) is ${expected}`, () => {
    assert.equal(isResponse(fields), expected);
  });
}
