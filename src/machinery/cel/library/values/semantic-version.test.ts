import assert from "node:assert/strict";
import { test } from "node:test";
import { compareVersions, findVersion } from "./semantic-version.ts";

const ascending = [
  "1.0.0-2",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0",
  "1.2.0",
  "1.10.0",
  "1.10.18446744073709551615",
];

test("compareVersions() sorts numbers by value and pre-releases first", () => {
  const versions = ascending.flatMap((text) => findVersion(text) ?? []);
  const sorted = versions.toReversed().sort(compareVersions);
  assert.deepEqual(
    sorted.map(({ text }) => text),
    ascending,
  );
});

const tooLarge = "18446744073709551616";
const long = "9".repeat(1_000_000);
for (const text of [
  "",
  "1.0",
  "v1.0.0",
  "1.0.0-",
  "01.0.0",
  "1.0.0-01",
  `1.0.${tooLarge}`,
  `1.0.0-${tooLarge}`,
  `${long}.0.0`,
]) {
  test(`findVersion() refuses ${JSON.stringify(text.slice(0, 30))}`, () => {
    assert.equal(findVersion(text), undefined);
  });
}
