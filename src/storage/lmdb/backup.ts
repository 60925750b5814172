import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { type SnapshotEntry, writeSnapshot } from "../base/snapshot.ts";
import { CorruptError, type SnapshotInfo, StorageError } from "../base/storage.ts";
import { findOwner } from "./directory-lock.ts";
import { type JournalRecord, readJournal } from "./journal.ts";
import { LmdbStorage } from "./lmdb-storage.ts";
import { readTree, replay } from "./load.ts";
import { Tree, type TreePin } from "./tree.ts";
import type { TreeState } from "./tree-state.ts";
import { toEntry } from "./version.ts";
import type { Versions } from "./versions.ts";

/**
 * Writes a snapshot of the store in a directory. If another process has it open, the snapshot is at
 * most about a second old; that process isn't disturbed.
 */
export async function backUpDirectory(
  directory: string,
  file: string,
  clock: Clock = systemClock,
): Promise<SnapshotInfo> {
  if (!existsSync(join(directory, "data.mdb"))) {
    throw new StorageError(`there is no store in ${directory}`);
  }
  if ((await findOwner(directory)) === undefined) {
    await using storage = await LmdbStorage.open({ directory, clock });
    return await storage.snapshot(file);
  }
  await using tree = Tree.openReadOnly(directory);
  using pin = tree.pin();
  const { versions } = readTree(tree, pin);
  replay(versions, await readLiveJournal(directory, pin.state));
  return await writeSnapshot(file, versions.revision, liveEntries(versions, tree, pin, clock));
}

/** The journal of a running store; empty, if it was switched since the tree was pinned. */
async function readLiveJournal(directory: string, state: TreeState): Promise<JournalRecord[]> {
  try {
    return await readJournal(directory, Buffer.from(state.salt, "hex"), state.revision);
  } catch (error) {
    if (error instanceof CorruptError) return [];
    throw error;
  }
}

function* liveEntries(
  versions: Versions,
  tree: Tree,
  pin: TreePin,
  clock: Clock,
): Generator<SnapshotEntry> {
  for (const version of versions.range("")) {
    const value = version.pending?.value ?? tree.read(version.modRevision, pin);
    const leftMs = Math.max(1, version.expiresAtMs - clock.now());
    const ttlRemainingMs = version.expiresAtMs === 0 ? undefined : leftMs;
    yield { ...toEntry(version, value), ttlRemainingMs };
  }
}
