import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { openSnapshot } from "../base/snapshot.ts";
import { type SnapshotInfo, StorageError } from "../base/storage.ts";
import { syncDirectory } from "../base/sync-directory.ts";
import { fillDirectory } from "./fill-directory.ts";

/**
 * Added to the revision, so that none is used again that clients may have seen after the snapshot
 * was taken: they would take a new object for an old one. etcdutl is used with the same number.
 */
const revisionGap = 1_000_000_000;

/**
 * Creates a store from a snapshot in a directory that has none. Keys keep their revisions; the
 * store continues at a later one, and everything before is compacted. It appears atomically: an
 * interrupted restore leaves no store.
 */
export async function restoreDirectory(
  file: string,
  directory: string,
  clock: Clock = systemClock,
): Promise<SnapshotInfo> {
  const path = resolve(directory);
  if (existsSync(path) && (await readdir(path)).length > 0) {
    throw new StorageError(`${directory} is not empty; move it away first`);
  }
  const snapshot = await openSnapshot(file);
  const unfinished = `${path}.restoring`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const { revision } = snapshot.info;
  const state = { revision, entries: snapshot.entries() };
  await fillDirectory(unfinished, state, { revision: revision + revisionGap, clock });
  await rename(unfinished, path);
  await syncDirectory(dirname(path));
  return snapshot.info;
}
