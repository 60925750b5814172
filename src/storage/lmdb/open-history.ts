import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import type { HistoryVersion, StoreHistory } from "../base/history.ts";
import { CorruptError, StorageError } from "../base/storage.ts";
import { findOwner } from "./directory-lock.ts";
import { type JournalRecord, readJournal } from "./journal.ts";
import { LmdbStorage } from "./lmdb-storage.ts";
import { readTree, replay } from "./load.ts";
import { Tree } from "./tree.ts";
import type { TreeState } from "./tree-state.ts";
import { isDelete, type Version } from "./version.ts";
import type { Versions } from "./versions.ts";

/** The versions of a store that another process may use; to be disposed of. */
interface OpenedVersions extends AsyncDisposable {
  readonly versions: Versions;
  valueOf(version: Version): Uint8Array;
}

interface OpenOptions {
  readonly clock?: Clock;
  /**
   * Whether a store that no process uses is repaired first, if its process was killed; default true. That also deletes
   * keys that have expired.
   */
  readonly repairs?: boolean;
}

/** Opens the versions of the store in a directory: at most about a second old if a process uses it, which isn't disturbed. */
export async function openVersions(
  directory: string,
  { clock = systemClock, repairs = true }: OpenOptions,
): Promise<OpenedVersions> {
  if (!existsSync(join(directory, "data.mdb"))) {
    throw new StorageError(`there is no store in ${directory}`);
  }
  // One that no program uses may have ended in the middle of a write: opening repairs it, or finds that it is damaged.
  if (repairs && (await findOwner(directory)) === undefined) {
    await using _repaired = await LmdbStorage.open({ directory, clock });
  }
  await using stack = new AsyncDisposableStack();
  const tree = stack.use(Tree.openReadOnly(directory));
  const pin = stack.use(tree.pin());
  const { versions } = readTree(tree, pin);
  replay(versions, await readLiveJournal(directory, pin.state));
  const moved = stack.move();
  return {
    versions,
    valueOf: ({ pending, modRevision }) => pending?.value ?? tree.read(modRevision, pin),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
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

/** Milliseconds until a version expires; undefined for never. */
export const remainingMs = ({ expiresAtMs }: Version, clock: Clock): number | undefined =>
  expiresAtMs === 0 ? undefined : Math.max(1, expiresAtMs - clock.now());

/** The history of the store in a directory, whether a process uses it or not; to be disposed of. */
export async function openHistory(
  directory: string,
  options: OpenOptions = {},
): Promise<StoreHistory & AsyncDisposable> {
  const { clock = systemClock } = options;
  const opened = await openVersions(directory, options);
  const { versions } = opened;
  const { compactRevision } = versions;
  const old = versions
    .range("", Math.max(compactRevision, 1))
    .filter(({ modRevision }) => modRevision <= compactRevision)
    .sort((a, b) => a.modRevision - b.modRevision);
  const toHistory = (version: Version): HistoryVersion => {
    const { key, modRevision, createRevision } = version;
    const value = isDelete(version) ? undefined : opened.valueOf(version);
    const ttlRemainingMs = remainingMs(version, clock);
    return { key, value, modRevision, createRevision, ttlRemainingMs };
  };
  return {
    compactRevision,
    revision: versions.revision,
    *versions(after) {
      for (const version of old) if (version.modRevision > after) yield toHistory(version);
      const since = Math.max(after, compactRevision);
      for (const version of versions.since(since)) yield toHistory(version);
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
