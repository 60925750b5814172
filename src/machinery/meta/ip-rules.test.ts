import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, formatFieldError } from "./field-error.ts";
import { fieldPath } from "./field-path.ts";
import {
  validateCIDR,
  validateInterfaceAddress,
  validateIP,
  validateLegacyCIDR,
  validateLegacyIP,
  warningsForIP,
} from "./ip-rules.ts";
import recorded from "./recorded/ips.json" with { type: "json" };

const path = fieldPath("f");
const texts = (errors: readonly FieldError[]): string[] => errors.map(formatFieldError);

for (const { text, ...expected } of recorded as { text: string; [rule: string]: unknown }[]) {
  test(`rules for IP addresses agree with upstream on ${JSON.stringify(text)}`, () => {
    const legacyIP = texts(validateLegacyIP(path, text));
    const found = {
      ip: texts(validateIP(path, text)),
      legacyIP,
      strictIP: texts(validateLegacyIP(path, text, { strict: true })),
      warnings: legacyIP.length > 0 ? [] : warningsForIP(path, text),
      cidr: texts(validateCIDR(path, text)),
      legacyCIDR: texts(validateLegacyCIDR(path, text)),
      strictCIDR: texts(validateLegacyCIDR(path, text, { strict: true })),
      interface: texts(validateInterfaceAddress(path, text)),
    };
    assert.deepEqual(found, expected);
  });
}

test("validateLegacyIP() and validateLegacyCIDR() let old values be", () => {
  assert.deepEqual(validateLegacyIP(path, "01.2.3.4", { strict: true, old: ["01.2.3.4"] }), []);
  assert.deepEqual(validateLegacyCIDR(path, "1.2.3.4/8", { strict: true, old: ["1.2.3.4/8"] }), []);
});
