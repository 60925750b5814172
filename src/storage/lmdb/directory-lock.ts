import type { Stats } from "node:fs";
import { mkdir, readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { StorageError } from "../base/storage.ts";

/** Not a cache: the directories that this process has open. */
const claimed = new Set<string>();

/** Claims a directory within this process until disposed of. Throws if it is claimed already. */
export async function claimDirectory(directory: string): Promise<Disposable> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = await realpath(directory);
  if (claimed.has(path)) throw inUse(directory, process.pid);
  claimed.add(path);
  return { [Symbol.dispose]: () => claimed.delete(path) };
}

/**
 * Throws unless this process is the only one that has the store open. Call it after LMDB has opened
 * the store: LMDB holds a kernel lock on its lock file while the store is open, so every other
 * owner shows in /proc/locks, and the kernel releases the lock of a process that dies. If two
 * processes open in parallel, at least one is refused.
 */
export async function assertSoleOwner(directory: string): Promise<void> {
  const pid = await findOwner(directory);
  if (pid !== undefined) throw inUse(directory, pid);
}

/** The pid of another process that has the store open; undefined if none. */
export async function findOwner(directory: string): Promise<number | undefined> {
  const lock = await stat(join(directory, "lock.mdb")).catch(() => undefined);
  if (!lock) return undefined;
  for (const { pid, inode } of parseLocks(await readFile("/proc/locks", "utf8"))) {
    if (pid === process.pid || inode !== lock.ino) continue;
    if (await mayHaveOpen(pid, lock)) return pid;
  }
  return undefined;
}

/** Lines like `2: POSIX  ADVISORY  READ 4711 fe:00:1234 0 0`: the process, and the inode after the device. */
function* parseLocks(text: string): Generator<{ readonly pid: number; readonly inode: number }> {
  for (const line of text.split("\n")) {
    const match = /POSIX\s+\S+\s+\S+\s+(\d+)\s+\S+:(\d+)\s/.exec(line);
    if (match) yield { pid: Number(match[1]), inode: Number(match[2]) };
  }
}

/**
 * Whether a process may have this file open; inode numbers alone repeat among devices. True if
 * unknown.
 */
async function mayHaveOpen(pid: number, { ino, dev }: Stats): Promise<boolean> {
  try {
    for (const descriptor of await readdir(`/proc/${pid}/fd`)) {
      const opened = await stat(`/proc/${pid}/fd/${descriptor}`).catch(() => undefined);
      if (opened?.ino === ino && opened.dev === dev) return true;
    }
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

function inUse(directory: string, pid: number): StorageError {
  return new StorageError(
    `the store in ${directory} is in use by process ${pid}; stop that one first, or use another directory`,
  );
}
