import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, formatFieldError } from "./field-error.ts";
import { fieldPath } from "./field-path.ts";
import {
  cidrWarnings,
  ipWarnings,
  validateCidr,
  validateInterfaceAddress,
  validateIp,
  validateLegacyCidr,
  validateLegacyIp,
} from "./ip-rules.ts";
import recorded from "./recorded/ips.json" with { type: "json" };

const path = fieldPath("f");
const texts = (errors: readonly FieldError[]): string[] => errors.map(formatFieldError);

for (const { text, ...expected } of recorded as { text: string; [rule: string]: unknown }[]) {
  test(`rules for IP addresses agree with upstream on ${JSON.stringify(text)}`, () => {
    const legacyIP = texts(validateLegacyIp(path, text, { strict: false }));
    const found = {
      ip: texts(validateIp(path, text)),
      legacyIP,
      strictIP: texts(validateLegacyIp(path, text)),
      warnings: legacyIP.length > 0 ? [] : ipWarnings(path, text),
      cidr: texts(validateCidr(path, text)),
      legacyCIDR: texts(validateLegacyCidr(path, text, { strict: false })),
      strictCIDR: texts(validateLegacyCidr(path, text)),
      interface: texts(validateInterfaceAddress(path, text)),
    };
    assert.deepEqual(found, expected);
  });
}

test("validateLegacyIp() and validateLegacyCidr() accept old values", () => {
  assert.deepEqual(validateLegacyIp(path, "01.2.3.4", { old: new Set(["01.2.3.4"]) }), []);
  assert.deepEqual(validateLegacyCidr(path, "1.2.3.4/8", { old: new Set(["1.2.3.4/8"]) }), []);
});

test("cidrWarnings() names the canonical form", () => {
  assert.deepEqual(cidrWarnings(path, "10.0.0.1/8"), [
    'f: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
  ]);
  assert.deepEqual(cidrWarnings(path, "10.0.0.0/8"), []);
});
