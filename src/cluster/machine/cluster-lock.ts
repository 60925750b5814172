import { spawn } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, mkdir, open, readFile, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "#/std/time/clock.ts";

/** The folder of locks: removed with the last of them, or at the next boot. Only root may write there. */
const lockFolder = "/run/k8ts";
const intervalMs = 100;

/** A command that holds a cluster's lock. */
export interface LockHolder {
  readonly pid: number;
  /** Its name, such as "up". */
  readonly command: string;
}

interface LockOptions {
  readonly folder?: string;
  readonly clock?: Clock;
  /** Called once if another command has the lock, before waiting. */
  onWait(holder: LockHolder): void;
}

/**
 * Takes the lock of a cluster, for a command that changes it: two at the same time would undo each other's work. The kernel
 * holds the lock for the open file, and frees it however the command ends.
 */
export async function lockCluster(
  cluster: string,
  command: string,
  { folder = lockFolder, clock = systemClock, onWait }: LockOptions,
): Promise<AsyncDisposable> {
  const path = join(folder, `k8ts-${cluster}.lock`);
  for (let hasWaited = false; ; ) {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const file = await openIfThere(path);
    if (!file) continue;
    // A file that was removed in the meantime is no longer a lock.
    if ((await tryLock(file)) && (await isAt(file, path))) {
      await file.truncate();
      await file.write(`${process.pid} ${command}\n`);
      return {
        async [Symbol.asyncDispose]() {
          await rm(path, { force: true });
          await file.close();
          // Locks of other clusters are still in the folder.
          await rmdir(folder).catch(() => undefined);
        },
      };
    }
    await file.close();
    const holder = await readHolder(path);
    if (holder && !hasWaited) {
      hasWaited = true;
      onWait(holder);
    }
    await clock.sleep(intervalMs);
  }
}

/** Opens the file, created if missing; undefined if its folder was removed just now. */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "a+", 0o644);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Node has no flock(2); a lock that a child takes on an inherited file is its parent's as well. */
async function tryLock({ fd }: FileHandle): Promise<boolean> {
  const child = spawn("flock", ["--nonblock", "3"], { stdio: ["ignore", "ignore", "ignore", fd] });
  const [code] = await once(child, "close");
  return code === 0;
}

async function isAt(file: FileHandle, path: string): Promise<boolean> {
  const there = await stat(path).catch(() => undefined);
  return there?.ino === (await file.stat()).ino;
}

async function readHolder(path: string): Promise<LockHolder | undefined> {
  const text = await readFile(path, "utf8").catch(() => "");
  const [, pid, command] = /^(\d+) (.+)\n$/.exec(text) ?? [];
  return pid && command ? { pid: Number(pid), command } : undefined;
}
