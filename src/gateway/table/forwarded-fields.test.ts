import assert from "node:assert/strict";
import { test } from "node:test";
import { requestFields, responseFields } from "./forwarded-fields.ts";

const client = { address: "10.0.0.9", scheme: "https", port: 443 } as const;
const own = [
  ...["x-forwarded-for", "10.0.0.9", "x-forwarded-proto", "https"],
  ...["x-forwarded-host", "a.example", "x-forwarded-port", "443", "x-real-ip", "10.0.0.9"],
];

for (const { name, given, expected } of [
  {
    name: "ordinary fields pass",
    given: ["accept", "*/*", "x-a", "1"],
    expected: ["accept", "*/*", "x-a", "1"],
  },
  {
    name: "fields of the connection stay",
    given: [
      "connection",
      "close, X-Hop",
      "x-hop",
      "1",
      "te",
      "gzip",
      "upgrade",
      "h2c",
      "keep-alive",
      "5",
    ],
    expected: [],
  },
  {
    name: "clients can't claim to be others",
    given: ["x-forwarded-for", "1.2.3.4", "forwarded", "for=1.2.3.4", "x-real-ip", "1.2.3.4"],
    expected: [],
  },
  {
    name: "the Host is the requested one, and pseudo fields stay",
    given: ["host", "other", ":path", "/", "cookie", "a=b"],
    expected: ["cookie", "a=b"],
  },
]) {
  test(`requestFields(): ${name}`, () => {
    assert.deepEqual(requestFields(given, client, "a.example"), [
      "host",
      "a.example",
      ...expected,
      ...own,
    ]);
  });
}

test("responseFields() leaves out fields of the connection", () => {
  const given = [
    "content-type",
    "a",
    "connection",
    "x-b",
    "x-b",
    "1",
    "transfer-encoding",
    "chunked",
  ];
  assert.deepEqual(responseFields(given), ["content-type", "a"]);
});
