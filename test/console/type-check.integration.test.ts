import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");

/** The console has the types of a browser, which the rest of the project must not have. */
test("the modules of the console and its tests have no type errors", async () => {
  const words = ["--noEmit", "-p", "src/console/tsconfig.json"];
  const output = await new Promise<string>((resolve) => {
    execFile(join(root, "node_modules/.bin/tsc"), words, { cwd: root }, (_, text) => resolve(text));
  });
  assert.equal(output, "");
});
