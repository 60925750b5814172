import assert from "node:assert/strict";
import { test } from "node:test";
import * as names from "./names.ts";
import recorded from "./recorded/names.json" with { type: "json" };

const rules: Record<string, (text: string) => names.Problems> = {
  isDNS1123Label: names.isDNS1123Label,
  isDNS1123Subdomain: names.isDNS1123Subdomain,
  isDNS1123SubdomainCaseless: names.isDNS1123SubdomainCaseless,
  isDNS1123SubdomainWithUnderscore: names.isDNS1123SubdomainWithUnderscore,
  isDNS1035Label: names.isDNS1035Label,
  isWildcardDNS1123Subdomain: names.isWildcardDNS1123Subdomain,
  isQualifiedName: names.isQualifiedName,
  isPrefixedLabelKey: names.isPrefixedLabelKey,
  isLabelValue: names.isLabelValue,
  isPathSegmentName: names.isPathSegmentName,
  isPathSegmentPrefix: (text) => names.nameIsPathSegment(text, true),
  "nameIsDNSSubdomain prefix": (text) => names.nameIsDNSSubdomain(text, true),
  "nameIsDNSLabel prefix": (text) => names.nameIsDNSLabel(text, true),
  "nameIsDNS1035Label prefix": (text) => names.nameIsDNS1035Label(text, true),
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

test("name rules without prefix check the name as it is", () => {
  assert.deepEqual(names.nameIsDNSLabel("web-", false), names.isDNS1123Label("web-"));
  assert.deepEqual(names.nameIsDNSLabel("web-", true), []);
  assert.deepEqual(names.nameIsPathSegment("..", false), ["may not be '..'"]);
  assert.deepEqual(names.nameIsPathSegment("..", true), []);
});

test("name rules are linear in the length of the text", () => {
  const hostile = [
    `${"a".repeat(3_000_000)}!`,
    `${"a.".repeat(1_500_000)}!`,
    "-".repeat(3_000_000),
  ];
  for (const text of hostile) {
    for (const rule of Object.values(rules)) rule(text);
  }
});
