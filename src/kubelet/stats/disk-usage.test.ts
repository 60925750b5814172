import assert from "node:assert/strict";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import { DiskUsage } from "./disk-usage.ts";

test("DiskUsage counts the rest of a directory whose files disappear meanwhile", async () => {
  // As du ends when it can't read a file that it has listed.
  const script = "printf '4096\\t/pod\\n'; echo 'du: cannot access /pod/a' >&2; exit 1";
  const disk = new DiskUsage({
    clock: systemClock,
    run: () => runProgram("sh", ["-c", script]),
  });
  assert.deepEqual(await disk.get("/pod"), { usedBytes: 4096, inodesUsed: 4096 });
});

test("DiskUsage measures a directory, and fails for one that does not exist", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "k8ts-disk-usage-"));
  const disk = new DiskUsage({ clock: systemClock });
  assert.equal((await disk.get(folder.path)).inodesUsed, 1);
  await assert.rejects(disk.get(join(folder.path, "none")), { name: "ProgramError" });
});
