import { CompactedError, StorageError } from "../base/storage.ts";
import { fillMember, hasLogSnapshot, leaseSeconds } from "../etcd/database/fill-member.ts";
import type { EtcdStorage } from "../etcd/etcd-storage.ts";
import { openHistory } from "../lmdb/open-history.ts";

/** Deleted although it is never there: such a write is in etcd's log, and changes neither keys nor the revision. */
const absentKey = "/k8ts/migration";
/** Limit of such writes; a member with --snapshot-count=1 makes a snapshot of its log after three. */
const maxProposals = 1_000;

/**
 * Has a new member, which runs with --snapshot-count=1, make a snapshot of its log. Members that join it later then
 * receive its whole database, and not a log that lacks what is filled in.
 */
export async function settleMember(etcd: EtcdStorage, memberFolder: string): Promise<void> {
  if ((await etcd.revision()) !== 1) throw new StorageError("the member of etcd has keys already");
  for (let proposals = 0; !(await hasLogSnapshot(memberFolder)); proposals++) {
    if (proposals === maxProposals) throw new StorageError("etcd makes no snapshot of its log");
    await etcd.delete(absentKey, { expect: "any" });
  }
}

/**
 * Fills a settled member that does not run with the embedded store of a directory, which a server may use. Returns the
 * revision that it has then.
 */
export async function copyToMember(directory: string, memberFolder: string): Promise<number> {
  await using history = await openHistory(directory);
  await fillMember(memberFolder, history);
  return history.revision;
}

/**
 * Repeats in etcd the writes of an embedded store that it lacks, each at its revision. May be repeated, also after an
 * interruption. Returns their number.
 */
export async function catchUpEtcd(directory: string, etcd: EtcdStorage): Promise<number> {
  const start = await etcd.revision();
  await using history = await openHistory(directory);
  if (start < history.compactRevision) throw new CompactedError(history.compactRevision);
  if (start > history.revision) {
    throw new StorageError(
      `etcd is at revision ${start}, the embedded store at ${history.revision}`,
    );
  }
  for await (const { key, value, modRevision, ttlRemainingMs } of history.versions(start)) {
    const ttl = ttlRemainingMs === undefined ? {} : { ttlSeconds: leaseSeconds(ttlRemainingMs) };
    const { revision } =
      value === undefined
        ? await etcd.delete(key, { expect: "any" })
        : await etcd.put(key, value, { expect: "any", ...ttl });
    if (revision !== modRevision) {
      throw new StorageError(
        `another program writes to etcd: it is at ${revision}, not ${modRevision}`,
      );
    }
  }
  return history.revision - start;
}
