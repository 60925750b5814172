import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRepoUrl } from "./repo-url.ts";

const cases: readonly (readonly [path: string, isRepository: boolean])[] = [
  ["base", false],
  ["../base", false],
  ["/abs/base", false],
  ["github.com/org/repo", true],
  ["github.com/org/repo/folder?ref=v1", true],
  ["GitHub.com:org/repo", true],
  ["git@host.example:org/repo.git", true],
  ["user@host.example/org/repo", true],
  ["https://host.example/org/repo//folder", true],
  ["https://host.example/one-segment", false],
  ["https://host.example/file.yaml", false],
  ["ssh://git@host.example/org/repo", true],
  ["file:///path/to/repo", true],
  ["https://host.example/org/repo//../../out", false],
  ["ftp://host.example/org/repo", false],
  ["github.com.yaml", false],
];

for (const [path, expected] of cases) {
  test(`parseRepoUrl() ${expected ? "accepts" : "rejects"} ${path}`, () => {
    assert.equal(parseRepoUrl(path) !== undefined, expected);
  });
}

test("parseRepoUrl() returns the URL for git", () => {
  assert.deepEqual(parseRepoUrl("git@github.com/org/repo/a/b?ref=v1&timeout=90&submodules=false"), {
    repository: "git@github.com:org/repo",
    folder: "a/b",
    ref: "v1",
    hasSubmodules: false,
    timeoutMs: 90_000,
  });
});
