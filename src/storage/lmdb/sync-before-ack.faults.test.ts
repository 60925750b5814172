import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const skip = spawnSync("strace", ["-V"]).status === 0 ? false : "needs strace";

/*
 * Killing a process does not show whether data was synced, since the kernel still has it. So this
 * checks the system calls: a write is acknowledged only after a pwrite64() with its value has
 * returned, on a descriptor with O_DSYNC, which returns when the data is on disk.
 */
test("a write is on disk before it is acknowledged", { skip, timeout: 60_000 }, async () => {
  const root = await mkdtemp(join(tmpdir(), "k8ts-sync-"));
  const log = join(root, "trace");
  const program = fileURLToPath(import.meta.resolve("./sync-writer.program.ts"));
  const trace = ["-f", "-y", "-s", "400", "-e", "trace=openat,pwrite64,write", "-o", log];
  const writer = [process.execPath, program, join(root, "store"), "20"];
  const { status, stderr } = spawnSync("strace", [...trace, ...writer], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const calls = joinInterrupted((await readFile(log, "utf8")).split("\n"));

  const opened = calls.filter((call) => /openat\(.*\/journal\.[01]".*O_CREAT/.test(call));
  assert.equal(opened.length, 2);
  for (const call of opened) assert.match(call, /O_DSYNC/);
  for (let index = 0; index < 20; index++) {
    const written = calls.findIndex((call) =>
      new RegExp(`pwrite64\\(\\d+<.*/journal\\.[01]>.*marked-${index}\\..*\\) = \\d+`).test(call),
    );
    const acknowledged = calls.findIndex((call) => call.includes(`acknowledged-${index}.`));
    assert.ok(written >= 0 && acknowledged >= 0);
    assert.ok(written < acknowledged, `write ${index} was acknowledged before it was synced`);
  }
  await rm(root, { recursive: true });
});

/**
 * strace splits a call into two lines if another thread made one meanwhile; joins them at the line
 * of the return.
 */
function joinInterrupted(lines: readonly string[]): string[] {
  const begun = new Map<string, string>();
  return lines.map((line) => {
    const [thread = ""] = line.split(" ", 1);
    const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(line);
    if (unfinished) {
      begun.set(thread, unfinished[1] ?? "");
      return "";
    }
    const resumed = /<\.\.\. \w+ resumed>(.*)$/.exec(line);
    return resumed ? `${begun.get(thread)}${resumed[1]}` : line;
  });
}
