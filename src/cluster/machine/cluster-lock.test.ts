import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { nextTurn } from "#/std/time/clock.ts";
import { type LockHolder, lockCluster } from "./cluster-lock.ts";

const module = JSON.stringify(new URL("cluster-lock.ts", import.meta.url).href);

function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "cluster-lock-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

test("lockCluster() lets commands change a cluster one after another", async () => {
  using folder = temporaryFolder();
  let inside = 0;
  const work = async (command: string) => {
    await using _lock = await lockCluster("a", command, {
      folder: folder.path,
      onWait: () => undefined,
    });
    inside += 1;
    assert.equal(inside, 1);
    await nextTurn();
    inside -= 1;
  };
  await Promise.all(["up", "up", "down"].map(work));
  assert.equal(existsSync(folder.path), false);
});

test("lockCluster() names the holder, and gets the lock when the holder is killed", async () => {
  using folder = temporaryFolder();
  const script = `const { lockCluster } = await import(${module});
    await lockCluster("a", "up", { folder: ${JSON.stringify(folder.path)}, onWait() {} });
    process.stdout.write("locked"); setInterval(() => {}, 1000);`;
  const args = ["--input-type=module", "--eval", script];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const holders: LockHolder[] = [];
  await using _other = await lockCluster("b", "up", {
    folder: folder.path,
    onWait: () => assert.fail("each cluster has its own"),
  });
  await using _lock = await lockCluster("a", "down", {
    folder: folder.path,
    onWait(holder) {
      holders.push(holder);
      child.kill("SIGKILL");
    },
  });
  assert.deepEqual(holders, [{ pid: child.pid, command: "up" }]);
});
