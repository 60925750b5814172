import assert from "node:assert/strict";
import { test } from "node:test";
import { checkFolderSizes } from "./folder-sizes.ts";

const folder = (count: number, suffix = ".ts") =>
  Array.from({ length: count }, (_, index) => ({ path: `src/a/f${index}${suffix}`, text: "" }));

test("checkFolderSizes() refuses a folder with more than 30 source files", () => {
  assert.deepEqual(checkFolderSizes(folder(31)), [
    {
      path: "src/a",
      line: 1,
      message: "31 source files in one folder, at most 30: divide it by what they are about",
    },
  ]);
});

test("checkFolderSizes() does not count tests, nor files of subfolders", () => {
  const below = [{ path: "src/a/b/c.ts", text: "" }];
  assert.deepEqual(checkFolderSizes([...folder(30), ...folder(30, ".test.ts"), ...below]), []);
});
