import { type Clock, systemClock } from "#/std/time/clock.ts";
import { type SnapshotEntry, type StoreState, writeSnapshot } from "../base/snapshot.ts";
import type { SnapshotInfo } from "../base/storage.ts";
import { openVersions, remainingMs } from "./open-history.ts";
import { toEntry } from "./version.ts";

/** The state of the store in a directory, for a snapshot; to be disposed of. */
interface OpenedState extends StoreState, AsyncDisposable {}

/**
 * Writes a snapshot of the store in a directory. If another process has it open, the snapshot is at
 * most about a second old; that process isn't disturbed.
 */
export async function backUpDirectory(
  directory: string,
  file: string,
  clock: Clock = systemClock,
): Promise<SnapshotInfo> {
  await using state = await openState(directory, clock);
  return await writeSnapshot(file, state);
}

/** Opens the state of a store, whether a process uses it or not. */
export async function openState(
  directory: string,
  clock: Clock = systemClock,
): Promise<OpenedState> {
  const opened = await openVersions(directory, { clock });
  const { versions } = opened;
  const live = function* (): Generator<SnapshotEntry> {
    for (const version of versions.range("")) {
      const entry = toEntry(version, opened.valueOf(version));
      yield { ...entry, ttlRemainingMs: remainingMs(version, clock) };
    }
  };
  return {
    revision: versions.revision,
    entries: live(),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
