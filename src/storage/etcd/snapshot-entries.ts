import type { SnapshotEntry } from "../base/snapshot.ts";
import { compactRevisionKey } from "./compact-once.ts";
import { toEntry } from "./etcd-entry.ts";
import type { Members } from "./etcd-members.ts";
import { allKeys } from "./key-range.ts";
import { readPages } from "./range-pages.ts";

/** All live keys at a revision, except the compactors' own key. */
export async function* snapshotEntries(
  members: Members,
  revision: number,
): AsyncGenerator<SnapshotEntry> {
  const ttls = new Map<bigint, number | undefined>();
  for await (const { kvs } of readPages(members, allKeys, { revision })) {
    for (const kv of kvs) {
      const { key, lease } = kv;
      if (key === compactRevisionKey) continue;
      if (lease !== 0n && !ttls.has(lease)) ttls.set(lease, await remainingMs(members, lease));
      yield { ...toEntry(kv), ttlRemainingMs: ttls.get(lease) };
    }
  }
}

async function remainingMs(members: Members, id: bigint): Promise<number> {
  const { ttlSeconds } = await members.read(({ lease }, options) =>
    lease.LeaseTimeToLive({ id }, options),
  );
  // An expired lease is reported as -1.
  return Math.max(1, ttlSeconds * 1000);
}
