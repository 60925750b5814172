import assert from "node:assert/strict";
import { test } from "node:test";
import { declaredLength, fieldsByName, isRequest } from "./request-fields.ts";

const get = [":method", "GET", ":scheme", "https", ":path", "/"];
const cases: readonly (readonly [name: string, fields: readonly string[], expected: boolean])[] = [
  ["what must be there", get, true],
  ["more fields", [...get, ":authority", "a", "accept", "*/*", "te", "trailers"], true],
  ["no path", get.slice(0, 4), false],
  ["two paths", [...get, ":path", "/b"], false],
  ["an unknown one of the protocol's", [...get, ":status", "200"], false],
  ["one of the protocol's after others", ["accept", "*/*", ...get], false],
  ["capital letters", [...get, "Accept", "*/*"], false],
  ["an encoding of HTTP/1.1", [...get, "transfer-encoding", "chunked"], false],
  ["another te", [...get, "te", "gzip"], false],
  ["no name", [...get, "", "x"], false],
  ["a name that is none", [...get, "a b", "x"], false],
  ["a value of two lines", [...get, "a", "x\r\nb: y"], false],
  ["a path that is none", [":method", "GET", ":scheme", "https", ":path", "x"], false],
  ["a path for all", [":method", "OPTIONS", ":scheme", "https", ":path", "*"], true],
];
for (const [name, fields, expected] of cases) {
  test(`isRequest() with ${name} is ${expected}`, () => assert.equal(isRequest(fields), expected));
}

test("fieldsByName() joins repeatable fields, and takes the first of others", () => {
  const fields = ["a", "1", "a", "2", "cookie", "x", "cookie", "y", "authorization", "b"];
  const byName = fieldsByName([...fields, "authorization", "c", "__proto__", "d"]);
  assert.deepEqual(
    { ...byName },
    { a: "1, 2", cookie: "x; y", authorization: "b", ["__proto__"]: "d" },
  );
});

for (const [values, expected] of [
  [[], undefined],
  [["12"], 12],
  [["12", "12"], 12],
  [["12", "13"], Number.NaN],
  [["-1"], Number.NaN],
  [["1e3"], Number.NaN],
] as const) {
  test(`declaredLength() of ${JSON.stringify(values)} is ${expected}`, () => {
    const fields = values.flatMap((value) => ["content-length", value]);
    assert.equal(declaredLength([...get, ...fields]), expected);
  });
}
