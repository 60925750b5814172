import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findLastRelease } from "./last-release.ts";

/** A repository; returns what runs git in it. */
function repository(folder: string): (...args: string[]) => string {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", folder, ...identity, ...args], { encoding: "utf8" }).trim();
  git("init", "--quiet");
  return git;
}

test("findLastRelease() finds the last commit of another version, or the newest tag of one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "last-release-"));
  try {
    assert.equal(await findLastRelease(folder), undefined, "no repository");
    const git = repository(folder);
    const commit = (version: string, file = "package.json"): string => {
      writeFileSync(join(folder, "package.json"), JSON.stringify({ version }));
      writeFileSync(join(folder, file), JSON.stringify({ version }));
      git("add", ".");
      git("commit", "--quiet", "--allow-empty", "--message", version);
      return git("rev-parse", "HEAD");
    };
    const first = commit("0.1.0");
    assert.equal(await findLastRelease(folder), undefined, "no other version");
    const last = commit("0.1.0", "a");
    commit("0.2.0");
    commit("0.2.0", "b");
    assert.deepEqual(await findLastRelease(folder), { commit: last, version: "0.1.0" });
    git("tag", "v0.1.0", first);
    git("tag", "v0.2.0");
    assert.deepEqual(await findLastRelease(folder), { commit: first, version: "0.1.0" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
