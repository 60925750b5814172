import assert from "node:assert/strict";
import test from "node:test";
import { DecodeError, decodeFailureMessage, strictDecodingError } from "./decode-error.ts";

const error = new DecodeError("wrong");
const cases = [
  {
    body: "{}",
    actual: { kind: "Pod", version: "v1" },
    message: 'Pod in version "v1" cannot be handled as a Service: wrong',
  },
  {
    body: `{"a":"${"x".repeat(40)}"}`,
    message:
      'the object provided is unrecognized (must be of type Service): wrong ({"a":"xxxxxxxxxxxxxxxxxxxxxxxx ...)',
  },
  {
    body: "abc",
    message: "the object provided is unrecognized (must be of type Service): wrong (616263)",
  },
  {
    body: "",
    message: "the object provided is unrecognized (must be of type Service): wrong (<empty>)",
  },
];
for (const { body, actual, message } of cases) {
  test(`decodeFailureMessage() of ${JSON.stringify(body)} says ${message}`, () => {
    const failed = { expected: "Service", body: Buffer.from(body), ...(actual && { actual }) };
    assert.equal(decodeFailureMessage(error, failed), message);
  });
}

test("strictDecodingError() names all problems", () => {
  const problems = ['unknown field "spec.a"', 'duplicate field "spec.b"'];
  const message = 'strict decoding error: unknown field "spec.a", duplicate field "spec.b"';
  assert.equal(strictDecodingError(problems).message, message);
});
