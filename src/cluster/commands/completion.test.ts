import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const program = fileURLToPath(new URL("../../../bin/k8ts.ts", import.meta.url));

test("k8ts completes the flags of a command that kubectl has", async () => {
  const words = [program, "__complete", "why", "--wai"];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  assert.match(stdout, /^--wait\tPrint the answer again/);
});
