import { liveVersions } from "../base/history.ts";
import { StorageError } from "../base/storage.ts";
import { compactRevisionKey } from "../etcd/compact-once.ts";
import type { EtcdStorage } from "../etcd/etcd-storage.ts";
import { openHistory } from "../lmdb/open-history.ts";

/**
 * Rejects unless an embedded store that no server uses and etcd have the same keys at the newest revision of the first,
 * with equal values and revisions. Returns their number.
 */
export async function compareStores(directory: string, etcd: EtcdStorage): Promise<number> {
  await using history = await openHistory(directory, { repairs: false });
  const live = await liveVersions(history);
  // The key of the compactors belongs to etcd alone.
  live.delete(compactRevisionKey);
  const count = live.size;
  for await (const entry of etcd.entriesAt(history.revision)) {
    const own = live.get(entry.key);
    const isEqual =
      own?.value !== undefined &&
      own.modRevision === entry.modRevision &&
      own.createRevision === entry.createRevision &&
      Buffer.compare(own.value, entry.value) === 0 &&
      (own.ttlRemainingMs === undefined) === (entry.ttlRemainingMs === undefined);
    if (!isEqual)
      throw new StorageError(`the stores differ at revision ${history.revision}: ${entry.key}`);
    live.delete(entry.key);
  }
  const [missing] = live.keys();
  if (missing !== undefined) throw new StorageError(`etcd lacks ${missing}`);
  return count;
}
