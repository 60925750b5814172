import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { put, text } from "../contract/under-test.contract.ts";
import { backUpDirectory } from "./backup.ts";
import { LmdbStorage } from "./lmdb-storage.ts";

test("a store opens once in a process", async () => {
  const directory = await mkdtemp(join(tmpdir(), "k8ts-lock-"));
  {
    await using storage = await LmdbStorage.open({ directory });
    await assert.rejects(LmdbStorage.open({ directory }), {
      name: "StorageError",
      message: `the store in ${directory} is in use by process ${process.pid}; stop that one first, or use another directory`,
    });
    await put(storage, "/a", "1");
  }
  await using again = await LmdbStorage.open({ directory });
  assert.equal(text((await again.get("/a")).entry?.value), "1");
  await rm(directory, { recursive: true });
});

test("a store that another process has open is refused until that process has ended", async () => {
  const directory = await mkdtemp(join(tmpdir(), "k8ts-lock-"));
  const other = await startWriter(directory);
  await assert.rejects(LmdbStorage.open({ directory }), {
    name: "StorageError",
    message: new RegExp(`is in use by process ${other.pid};`),
  });
  await backUpDirectory(directory, join(directory, "..", `${other.pid}.snapshot`));
  await rm(join(directory, "..", `${other.pid}.snapshot`));
  other.kill("SIGKILL");
  await once(other, "exit");
  await using storage = await LmdbStorage.open({ directory });
  await put(storage, "/a", "1");
  await rm(directory, { recursive: true });
});

test("at most one of two processes that open in parallel gets the store", async () => {
  const directory = await mkdtemp(join(tmpdir(), "k8ts-lock-"));
  const children = [0, 1].map(() => spawnWriter(directory, "ignore"));
  const outcomes = await Promise.all(
    children.map((child) =>
      Promise.race([
        once(child.stdout ?? child, "data").then(() => "opened"),
        once(child, "exit").then(() => "refused"),
      ]),
    ),
  );
  assert.ok(outcomes.filter((outcome) => outcome === "opened").length <= 1, String(outcomes));
  for (const child of children) child.kill("SIGKILL");
  await rm(directory, { recursive: true });
});

async function startWriter(directory: string): Promise<ChildProcess> {
  const child = spawnWriter(directory, "inherit");
  await once(child.stdout ?? child, "data");
  child.stdout?.resume();
  return child;
}

function spawnWriter(directory: string, stderr: "inherit" | "ignore"): ChildProcess {
  const program = fileURLToPath(import.meta.resolve("./crash-writer.program.ts"));
  return spawn(process.execPath, [program, directory], { stdio: ["ignore", "pipe", stderr] });
}
