import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

test("returnMemoryWhenIdle() gives free blocks and the program's pages back to the system", () => {
  const program = fileURLToPath(import.meta.resolve("./return-memory.program.ts"));
  const { stdout, stderr } = spawnSync(process.execPath, ["--expose-gc", program]);
  assert.equal(stderr.toString(), "");
  const { before, after } = JSON.parse(stdout.toString());
  const shown = JSON.stringify({ before, after });
  assert.ok(before.own - after.own > 65_536, shown);
  // The program goes on, with the pages that it needs.
  assert.ok(after.ofFiles < 0.8 * before.ofFiles, shown);
});
