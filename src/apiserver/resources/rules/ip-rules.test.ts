import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import {
  cidrWarnings,
  ipWarnings,
  validateCidr,
  validateEndpointIp,
  validateIp,
  validateLegacyCidr,
  validateLegacyIp,
} from "./ip-rules.ts";

const path = fieldPath("f");
const malformedIp = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const malformedCidr = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

type Rule = typeof validateIp;
const cases: readonly [rule: Rule, text: string, problem: string | undefined][] = [
  [validateLegacyIp, "1.2.3.4", undefined],
  [validateLegacyIp, "FD00::1", undefined],
  [validateLegacyIp, "1.2.3", malformedIp],
  [validateLegacyIp, "01.2.3.4", "must not have leading 0s"],
  [validateLegacyIp, "::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address"],
  [validateIp, "FD00::1", 'must be in canonical form ("fd00::1")'],
  [validateIp, "fd00::1", undefined],
  [validateLegacyCidr, "10.0.0.0/8", undefined],
  [validateLegacyCidr, "10.0.0.1/8", "must not have bits set beyond the prefix length"],
  [validateLegacyCidr, "10.0.0.0/08", "must not have leading 0s in IP or prefix length"],
  [validateLegacyCidr, "10.0.0.0", malformedCidr],
  [validateCidr, "FD00::/8", 'must be in canonical form ("fd00::/8")'],
  [validateEndpointIp, "0.0.0.0", "may not be unspecified (0.0.0.0)"],
  [validateEndpointIp, "::1", "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  [
    validateEndpointIp,
    "224.0.0.5",
    "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
  ],
  [
    validateEndpointIp,
    "ff02::5",
    "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
  ],
  [validateEndpointIp, "224.0.1.5", undefined],
];

for (const [rule, text, problem] of cases) {
  test(`${rule.name}() of ${text}: ${problem ?? "fine"}`, () => {
    const expected = problem === undefined ? [] : [problem];
    assert.deepEqual(
      rule(path, text).map(({ detail }) => detail),
      expected,
    );
  });
}

describe("what was there before", () => {
  test("is let be", () => {
    assert.deepEqual(validateLegacyIp(path, "01.2.3.4", ["01.2.3.4"]), []);
    assert.deepEqual(validateLegacyCidr(path, "x", ["x"]), []);
  });
});

test("ipWarnings() and cidrWarnings() tell the usual form", () => {
  assert.deepEqual(ipWarnings(path, "01.2.3.4"), [
    'f: non-standard IP address "01.2.3.4" is invalid: use "1.2.3.4"',
  ]);
  assert.deepEqual(cidrWarnings(path, "10.0.0.1/8"), [
    'f: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
  ]);
  assert.deepEqual(cidrWarnings(path, "10.0.0.0/8"), []);
});
