import { createReadStream } from "node:fs";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { CommandFailure } from "../base/command-failure.ts";
import { ensureFolder } from "../base/write-file.ts";
import { parseSnapshotName, type StoredSnapshot } from "./schedule.ts";
import type { SnapshotTarget } from "./snapshot-target.ts";

/** What an interrupted write leaves ends with this; the next write in the folder removes it. */
const partialSuffix = ".partial";

/** Snapshots in a folder; it is made when the first one is written. */
export function folderTarget(folder: string): SnapshotTarget {
  return {
    place: folder,
    async write(name, content) {
      await ensureFolderIfMissing(folder);
      await removePartial(folder);
      return await writeSnapshotFile(join(folder, name), content);
    },
    list: () => list(folder),
    read: (name) => readSnapshotFile(join(folder, name)),
    remove: (name) => rm(join(folder, name)),
  };
}

/** Writes a file of a snapshot: only its owner may read it, as it contains the keys of the cluster. */
export async function writeSnapshotFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
): Promise<number> {
  const partial = `${path}${partialSuffix}`;
  const opened = await open(partial, "wx", 0o600);
  try {
    {
      await using file = opened;
      for await (const block of content) await file.writeFile(block);
      await file.sync();
    }
    const { size } = await stat(partial);
    await rename(partial, path);
    return size;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

export async function* readSnapshotFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: 1 << 20 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new CommandFailure(`the snapshot can't be read: ${(error as Error).message}`);
  }
}

async function list(folder: string): Promise<StoredSnapshot[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const found: StoredSnapshot[] = [];
  for (const name of names) {
    const parsed = parseSnapshotName(name);
    // It may be removed at this moment.
    const info = parsed && (await stat(join(folder, name)).catch(() => undefined));
    if (parsed && info) found.push({ ...parsed, sizeBytes: info.size });
  }
  return found.sort((a, b) => a.createdMs - b.createdMs);
}

/** The folder may be the user's, with a mode of their choice. */
async function ensureFolderIfMissing(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) await ensureFolder(folder);
  else if (!found.isDirectory()) throw new CommandFailure(`${folder} is no folder`);
}

/** Only the cluster's own: another program may write its files there. */
async function removePartial(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const whole = name.endsWith(partialSuffix) ? name.slice(0, -partialSuffix.length) : "";
    if (parseSnapshotName(whole)) await rm(join(folder, name), { force: true });
  }
}
