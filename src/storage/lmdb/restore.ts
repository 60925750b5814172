import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { openSnapshot, type Snapshot, type SnapshotEntry } from "../base/snapshot.ts";
import { type SnapshotInfo, StorageError } from "../base/storage.ts";
import { syncDirectory } from "../base/sync-directory.ts";
import { Journal } from "./journal.ts";
import { recordSize, writeRecord } from "./record.ts";
import { Tree, type TreeChange } from "./tree.ts";
import { storedVersion, type Version } from "./version.ts";

/**
 * Added to the revision, so that none is used again that clients may have seen after the snapshot
 * was taken: they would take a new object for an old one. etcdutl is used with the same number.
 */
const revisionGap = 1_000_000_000;

/** Limits of one commit. */
const commitVersions = 1000;
const commitBytes = 8 << 20;

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
  await fill(unfinished, snapshot, clock);
  await rename(unfinished, path);
  await syncDirectory(dirname(path));
  return snapshot.info;
}

async function fill(directory: string, snapshot: Snapshot, clock: Clock): Promise<void> {
  await using tree = await Tree.open(directory);
  const revision = snapshot.info.revision + revisionGap;
  const taken = new Set<number>();
  let next = snapshot.info.revision;
  let put: Version[] = [];
  let bytes = 0;
  const commit = async (state: TreeChange["state"]): Promise<void> => {
    await tree.commit({ put, drop: [], state });
    put = [];
    bytes = 0;
  };
  for await (const entry of snapshot.entries()) {
    // A transaction of etcd can write several keys at one revision; here each has its own.
    const modRevision = taken.has(entry.modRevision) ? ++next : entry.modRevision;
    taken.add(modRevision);
    put.push(toVersion(entry, modRevision, clock));
    bytes += entry.value.length;
    if (put.length >= commitVersions || bytes >= commitBytes) await commit(tree.state);
  }
  await commit({ ...tree.state, revision, compactRevision: revision });
  await using _journal = await Journal.open(directory, Buffer.from(tree.state.salt, "hex"));
}

function toVersion(entry: SnapshotEntry, modRevision: number, clock: Clock): Version {
  const { key, value, createRevision, ttlRemainingMs } = entry;
  const expiresAtMs = ttlRemainingMs === undefined ? 0 : clock.now() + ttlRemainingMs;
  const fields = { key, modRevision, createRevision, expiresAtMs };
  const record = writeRecord(Buffer.alloc(recordSize(key, value)), 0, fields, value);
  return { ...storedVersion(fields), pending: { value, record } };
}
