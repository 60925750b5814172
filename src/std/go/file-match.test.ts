import assert from "node:assert/strict";
import { test } from "node:test";
import { fileMatches } from "./file-match.ts";

const cases: readonly (readonly [pattern: string, name: string, matches: boolean])[] = [
  ["", "", true],
  ["*", "", true],
  ["abc", "abc", true],
  ["abc", "abcd", false],
  ["a*", "abc", true],
  ["*c", "abc", true],
  ["*b", "abc", false],
  ["a*b?c*x", "abxbbxdbxebxczzx", true],
  ["a*b?c*x", "abxbbxdbxebxczzy", false],
  ["ab[b-d]", "abc", true],
  ["ab[^b-d]", "abe", true],
  ["ab[^b-d]", "abc", false],
  ["a\\*b", "a*b", true],
  ["a\\*b", "axb", false],
  ["[\\]a]", "]", true],
  ["a?b", "aéb", true],
  ["a.b", "axb", false],
  ["(a|b)+$", "(a|b)+$", true],
  ["[", "a", false],
  ["[]a]", "]", false],
  ["[-x]", "x", false],
  ["[a-", "a", false],
  ["a\\", "a", false],
];
for (const [pattern, name, matches] of cases) {
  test(`fileMatches(${pattern}, ${name}) is ${matches}`, () => {
    assert.equal(fileMatches(pattern, name), matches);
  });
}

test("fileMatches() takes time in proportion to the pattern and the name, not to their combinations", () => {
  const before = process.cpuUsage();
  assert.equal(fileMatches(`${"*a".repeat(100)}b`, "a".repeat(250)), false);
  const { user } = process.cpuUsage(before);
  assert.ok(user < 1_000_000, `${user} µs of CPU`);
});
