import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOfReverseName } from "./reverse-name.ts";

for (const [name, expected] of [
  ["20.0.96.10.in-addr.arpa", "10.96.0.20"],
  ["0.96.10.in-addr.arpa", undefined],
  ["256.0.96.10.in-addr.arpa", undefined],
  [`1.${"0.".repeat(31)}ip6.arpa`, "::1"],
  ["1.0.ip6.arpa", undefined],
  ["example.com", undefined],
] as const) {
  test(`addressOfReverseName() finds ${expected} in ${name}`, () => {
    assert.equal(addressOfReverseName(name), expected);
  });
}
