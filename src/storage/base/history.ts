import type { Entry } from "./storage.ts";

/** A write of a key, or its deletion, with when the key expires. */
export interface HistoryVersion extends Omit<Entry, "value"> {
  /** Undefined for a deletion, whose create revision is 0. */
  readonly value: Uint8Array | undefined;
  /** Milliseconds until the key expires; undefined without TTL. */
  readonly ttlRemainingMs: number | undefined;
}

/**
 * What a store remembers: its state at the compact revision, and each write since then. With it another store goes on
 * with the same revisions, and watches of clients resume there.
 */
export interface StoreHistory {
  readonly compactRevision: number;
  readonly revision: number;
  /** In the order of revisions, those after a revision: up to the compact revision only live keys. */
  versions(after: number): AsyncIterable<HistoryVersion> | Iterable<HistoryVersion>;
}

/** The keys that are live at the end of a history. */
export async function liveVersions(history: StoreHistory): Promise<Map<string, HistoryVersion>> {
  const live = new Map<string, HistoryVersion>();
  for await (const version of history.versions(0)) {
    if (version.value === undefined) live.delete(version.key);
    else live.set(version.key, version);
  }
  return live;
}
