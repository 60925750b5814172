import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import type { HistoryVersion } from "../base/history.ts";
import { StorageError, type WatchEvent } from "../base/storage.ts";
import { syncDirectory } from "../base/sync-directory.ts";
import type { EtcdStorage } from "../etcd/etcd-storage.ts";
import { appendVersions, fillDirectory, filledRevision } from "../lmdb/fill-directory.ts";

/**
 * Makes an embedded store of the content of etcd, which servers may use, in a directory that does not exist. It has the
 * history that etcd has, so that watches resume in it. Returns its revision.
 */
export async function copyToEmbedded(
  etcd: EtcdStorage,
  directory: string,
  clock: Clock = systemClock,
): Promise<number> {
  const unfinished = `${directory}.filling`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const revision = await etcd.oldestRevision();
  const state = { revision, entries: etcd.entriesAt(revision) };
  await fillDirectory(unfinished, state, { revision, clock });
  await append(etcd, unfinished, revision, clock);
  await rename(unfinished, directory);
  await syncDirectory(dirname(directory));
  return await filledRevision(directory);
}

/** Adds the writes of etcd that an embedded store lacks, each at its revision. May be repeated. Returns their number. */
export async function catchUpEmbedded(
  etcd: EtcdStorage,
  directory: string,
  clock: Clock = systemClock,
): Promise<number> {
  return await append(etcd, directory, await filledRevision(directory), clock);
}

async function append(
  etcd: EtcdStorage,
  directory: string,
  after: number,
  clock: Clock,
): Promise<number> {
  const until = await etcd.revision();
  if (until < after) {
    throw new StorageError(`etcd is at revision ${until}, the embedded store at ${after}`);
  }
  if (until === after) return 0;
  await appendVersions(directory, versionsOf(etcd, after, until), clock);
  return until - after;
}

/** The writes of etcd between two revisions. */
async function* versionsOf(
  etcd: EtcdStorage,
  after: number,
  until: number,
): AsyncGenerator<HistoryVersion> {
  // Events don't say when a key expires. Those that were written again or deleted since then need no time.
  const remaining = new Map<number, number>();
  for await (const { modRevision, ttlRemainingMs } of etcd.entriesAt(until)) {
    if (ttlRemainingMs !== undefined) remaining.set(modRevision, ttlRemainingMs);
  }
  const stop = new AbortController();
  const options = { after, signal: stop.signal, knowsPrevious: true };
  try {
    for await (const { events, revision } of etcd.watch("", options)) {
      for (const event of events) {
        const version = toVersion(event, remaining);
        if (version.modRevision <= until) yield version;
      }
      if (revision >= until) return;
    }
  } finally {
    stop.abort();
  }
}

function toVersion(event: WatchEvent, remaining: ReadonlyMap<number, number>): HistoryVersion {
  if (event.type === "put") {
    return { ...event.entry, ttlRemainingMs: remaining.get(event.entry.modRevision) };
  }
  const { key, revision } = event;
  return {
    key,
    value: undefined,
    modRevision: revision,
    createRevision: 0,
    ttlRemainingMs: undefined,
  };
}
