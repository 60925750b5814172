import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const mebibyte = 1 << 20;

test("returnMemoryWhenIdle() gives memory between blocks in use back to the system", () => {
  const program = fileURLToPath(import.meta.resolve("./return-memory.program.ts"));
  const { stdout, stderr } = spawnSync(process.execPath, ["--expose-gc", program]);
  assert.equal(stderr.toString(), "");
  const { before, after } = JSON.parse(stdout.toString());
  assert.ok(before - after > 64 * mebibyte, `${before} to ${after}`);
});
