import assert from "node:assert/strict";
import { test } from "node:test";
import { requestFields, responseFields } from "./forwarded-fields.ts";

const client = { address: "10.0.0.9", scheme: "https", port: 443, authority: "a.example" } as const;
const own = [
  ...["x-forwarded-for", "10.0.0.9", "x-forwarded-proto", "https"],
  ...["x-forwarded-host", "a.example", "x-forwarded-port", "443", "x-real-ip", "10.0.0.9"],
];

for (const { name, given, expected } of [
  {
    name: "ordinary fields pass",
    given: ["Accept", "*/*", "X-A", "1"],
    expected: ["accept", "*/*", "x-a", "1"],
  },
  {
    name: "fields of the connection stay",
    given: [
      "Connection",
      "close, X-Hop",
      "X-Hop",
      "1",
      "TE",
      "gzip",
      "Upgrade",
      "h2c",
      "Keep-Alive",
      "5",
    ],
    expected: [],
  },
  {
    name: "clients can't claim to be others",
    given: ["X-Forwarded-For", "1.2.3.4", "Forwarded", "for=1.2.3.4", "X-Real-IP", "1.2.3.4"],
    expected: [],
  },
  {
    name: "the Host is the requested one, and pseudo fields stay",
    given: ["Host", "other", ":path", "/", "cookie", "a=b"],
    expected: ["cookie", "a=b"],
  },
]) {
  test(`requestFields(): ${name}`, () => {
    assert.deepEqual(requestFields(given, client), ["host", "a.example", ...expected, ...own]);
  });
}

test("responseFields() leaves out fields of the connection", () => {
  const given = [
    "Content-Type",
    "a",
    "Connection",
    "x-b",
    "X-B",
    "1",
    "Transfer-Encoding",
    "chunked",
  ];
  assert.deepEqual(responseFields(given), ["content-type", "a"]);
});
