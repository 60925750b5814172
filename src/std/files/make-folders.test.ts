import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolders } from "./make-folders.ts";

test("makeFolders() creates missing folders, and accepts existing ones", () => {
  const from = mkdtempSync(join(tmpdir(), "make-folders-"));
  makeFolders("a/b/c", { from, mode: 0o700 });
  makeFolders(join(from, "a/b"));
  assert.equal(statSync(join(from, "a/b/c")).mode & 0o777, 0o700);
  rmSync(from, { recursive: true });
});

test("makeFolders() names the folder that can't be created", () => {
  const from = mkdtempSync(join(tmpdir(), "make-folders-"));
  writeFileSync(join(from, "file"), "");
  assert.throws(() => makeFolders("file/a/b", { from }), { path: "file", code: "ENOTDIR" });
  assert.throws(() => makeFolders("/proc/none/a/b"), { path: "/proc/none", code: "ENOENT" });
  rmSync(from, { recursive: true });
});
