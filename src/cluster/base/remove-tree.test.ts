import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { removeTree } from "./remove-tree.ts";

test("removeTree() removes trees deeper than any path, and follows no link", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-remove-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [tree, other] = [join(folder, "-tree"), join(folder, "other")];
  for (const path of [tree, other]) mkdirSync(path);
  writeFileSync(join(other, "file"), "kept");
  symlinkSync(other, join(tree, "link"));
  // Folders of 200 characters, in three pieces that are put together: the path of the last one has 9,000.
  const deep = Array(15).fill("d".repeat(200)).join("/");
  for (let piece = 0; piece < 3; piece++) {
    mkdirSync(join(folder, "piece", deep), { recursive: true });
    if (piece > 0) renameSync(join(tree, "deep"), join(folder, "piece", deep, "deep"));
    renameSync(join(folder, "piece"), join(tree, "deep"));
  }
  await removeTree(tree);
  assert.equal(existsSync(tree), false);
  assert.ok(existsSync(join(other, "file")));
  await removeTree(tree);
});
