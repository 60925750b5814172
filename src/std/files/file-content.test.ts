import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { FileContent } from "./file-content.ts";

test("FileContent applies changes, ignores invalid ones, and passes the old content to onReplaced", () => {
  const directory = mkdtempSync(join(tmpdir(), "content-"));
  const file = join(directory, "f");
  const replaced: number[] = [];
  const parse = (bytes: Buffer): number => {
    const value = Number(bytes.toString());
    if (Number.isNaN(value)) throw new Error("no number");
    return value;
  };
  writeFileSync(file, "1");
  using content = new FileContent(file, parse, new FakeClock(), (old) => replaced.push(old));
  assert.equal(content.value, 1);
  writeFileSync(`${file}.new`, "2");
  renameSync(`${file}.new`, file);
  content.reload();
  content.reload();
  assert.equal(content.value, 2);
  writeFileSync(file, "x");
  content.reload();
  assert.equal(content.value, 2);
  assert.deepEqual(replaced, [1]);
  rmSync(directory, { recursive: true });
  content.reload();
  assert.equal(content.value, 2);
  assert.throws(() => new FileContent(file, parse, new FakeClock()), /ENOENT/);
});
