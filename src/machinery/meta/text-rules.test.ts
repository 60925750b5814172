import assert from "node:assert/strict";
import { test } from "node:test";
import { type ErrorPath, type FieldError, formatFieldError } from "./field-error.ts";
import { fieldPath } from "./field-path.ts";
import type { Problems } from "./names.ts";
import recorded from "./recorded/names.json" with { type: "json" };
import * as texts from "./text-rules.ts";

const formatted =
  (validate: (path: ErrorPath, text: string) => FieldError[]) =>
  (text: string): Problems =>
    validate(fieldPath("f"), text).map(formatFieldError);

const rules: Record<string, (text: string) => Problems> = {
  isPercent: texts.isPercent,
  isHTTPHeaderName: texts.isHTTPHeaderName,
  isEnvVarName: texts.isEnvVarName,
  isRelaxedEnvVarName: texts.isRelaxedEnvVarName,
  isConfigMapKey: texts.isConfigMapKey,
  isPortName: texts.isPortName,
  isDecimalInteger: texts.isDecimalInteger,
  validateFullyQualifiedDomainName: formatted(texts.validateFullyQualifiedDomainName),
  validateDomainPrefixedPath: formatted(texts.validateDomainPrefixedPath),
  validateDomainPrefixedKey: formatted(texts.validateDomainPrefixedKey),
};

for (const [name, rule] of Object.entries(rules)) {
  test(`${name}() agrees with upstream on every recorded text`, () => {
    const expected = recorded.rules[name as keyof typeof recorded.rules];
    recorded.texts.forEach((text, index) => {
      const problems = expected[index]?.map((message) => recorded.messages[message]);
      assert.deepEqual(rule(text), problems, JSON.stringify(text));
    });
  });
}

test("number rules check the limits", () => {
  assert.deepEqual(texts.isPortNumber(0), ["must be between 1 and 65535, inclusive"]);
  assert.deepEqual(texts.isPortNumber(65535), []);
  assert.deepEqual(texts.isUserID(-1), ["must be between 0 and 2147483647, inclusive"]);
  assert.deepEqual(texts.isGroupID(2 ** 31), ["must be between 0 and 2147483647, inclusive"]);
});
