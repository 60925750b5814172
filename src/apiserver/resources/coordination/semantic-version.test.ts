import assert from "node:assert/strict";
import { test } from "node:test";
import { compareSemanticVersions, parseSemanticVersion } from "./semantic-version.ts";

const ascending = [
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-2",
  "1.0.0",
  "1.2.0",
  "1.10.0",
];

test("compareSemanticVersions() orders numbers as such and pre-releases first", () => {
  const versions = ascending.flatMap((text) => parseSemanticVersion(text) ?? []);
  const sorted = versions.toReversed().sort(compareSemanticVersions);
  const texts = sorted.map(({ numbers, prerelease }) =>
    [numbers.join("."), ...(prerelease.length > 0 ? [prerelease.join(".")] : [])].join("-"),
  );
  assert.deepEqual(texts, ["1.0.0-2", ...ascending.filter((text) => text !== "1.0.0-2")]);
});

for (const text of ["1.0", "v1.0.0", "1.0.0-", "01.0.0", "1.0.0-01", ""]) {
  test(`parseSemanticVersion() refuses ${JSON.stringify(text)}`, () => {
    assert.equal(parseSemanticVersion(text), undefined);
  });
}
