import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { message } from "#/std/protobuf/protobuf.ts";
import { bigInt64, int64 } from "#/std/protobuf/protobuf-field.ts";
import type { HistoryVersion, StoreHistory } from "../../base/history.ts";
import { syncDirectory } from "../../base/sync-directory.ts";
import { KeyValue } from "../etcd-services.ts";
import type { BoltPair } from "./bolt-format.ts";
import { readBolt } from "./bolt-reader.ts";
import { BoltWriter } from "./bolt-writer.ts";

/*
 * The buckets of etcd's database that have keys.
 *
 *   key     main revision u64 · "_" · sub revision u64 · "t" if it is a deletion: a KeyValue; numbers are big-endian
 *   lease   identifier i64: a Lease
 *   meta    the compacted revision, beside what belongs to the member
 *
 * Upstream: etcd server/storage/mvcc/revision.go, server/storage/schema, server/lease/leasepb.
 */
const keyBucket = "key";
const leaseBucket = "lease";
const metaBucket = "meta";
const compactKeys = ["scheduledCompactRev", "finishedCompactRev"];
const revisionSize = 17;
const tombstone = 0x74;

const Lease = message({ id: bigInt64(1), ttlSeconds: int64(2), remainingSeconds: int64(3) });

/** The identifiers of leases go on from here; etcd's own are random. */
const firstLease = 0x6b38_7473_0000_0000n;
/**
 * Keys that expire in the same minute share a lease. They stay longer than they would have (s): no key may expire before
 * its new server runs, since that would be a write of which the store that is copied does not know.
 */
const leaseStepSeconds = 60;
const leaseSpareSeconds = 600;

/** The lifetime of the lease of a key that expires (s). */
export const leaseSeconds = (ttlRemainingMs: number): number =>
  Math.ceil(ttlRemainingMs / 1000 / leaseStepSeconds) * leaseStepSeconds + leaseSpareSeconds;

/** Whether a member that etcd itself has made has a snapshot of its log: others receive the whole database then. */
export async function hasLogSnapshot(memberFolder: string): Promise<boolean> {
  const folder = join(memberFolder, "member/snap");
  return existsSync(folder) && (await readdir(folder)).some((name) => name.endsWith(".snap"));
}

/**
 * Replaces the keys of a member of etcd that has none and does not run, with a history: each key at its revision. What
 * etcd itself has written about the member stays. It appears at once; returns the revision.
 */
export async function fillMember(memberFolder: string, history: StoreHistory): Promise<void> {
  const path = join(memberFolder, "member/snap/db");
  const { pageSize, buckets } = await readBolt(path);
  const unfinished = `${path}.filling`;
  await rm(unfinished, { force: true });
  {
    await using writer = await BoltWriter.create(unfinished, pageSize);
    const leases = new Map<number, bigint>();
    await writer.bucket(keyBucket, keyPairs(history, leases));
    await writer.bucket(leaseBucket, leasePairs(leases));
    for (const [name, pairs] of buckets) {
      if (name === metaBucket) await writer.bucket(name, withCompaction(pairs, history));
      else if (name !== keyBucket && name !== leaseBucket) await writer.bucket(name, pairs);
    }
    await writer.finish();
  }
  await rename(unfinished, path);
  await syncDirectory(dirname(path));
}

async function* keyPairs(
  history: StoreHistory,
  leases: Map<number, bigint>,
): AsyncGenerator<BoltPair> {
  const counts = new Map<string, number>();
  for await (const found of history.versions(0)) {
    const { key, value, modRevision, createRevision, ttlRemainingMs } = found;
    if (value === undefined) {
      counts.delete(key);
      yield [revisionBytes(modRevision, true), KeyValue.encode({ key })];
      continue;
    }
    const version = nextCount(found, counts.get(key));
    counts.set(key, version);
    const lease = ttlRemainingMs === undefined ? 0n : leaseOf(leases, ttlRemainingMs);
    const fields = { key, value, modRevision, createRevision, version, lease };
    yield [revisionBytes(modRevision), KeyValue.encode(fields)];
  }
}

/** The number of writes of a key since it was made: at least as many as are known. */
function nextCount({ modRevision, createRevision }: HistoryVersion, before = 1): number {
  return modRevision === createRevision ? 1 : before + 1;
}

function leaseOf(leases: Map<number, bigint>, ttlRemainingMs: number): bigint {
  const seconds = leaseSeconds(ttlRemainingMs);
  const id = leases.get(seconds) ?? firstLease + BigInt(leases.size);
  leases.set(seconds, id);
  return id;
}

function* leasePairs(leases: ReadonlyMap<number, bigint>): Generator<BoltPair> {
  // Identifiers ascend in the order in which they were given.
  for (const [ttlSeconds, id] of leases) {
    const key = Buffer.alloc(8);
    key.writeBigInt64BE(id);
    yield [key, Lease.encode({ id, ttlSeconds })];
  }
}

function withCompaction(pairs: readonly BoltPair[], { compactRevision }: StoreHistory): BoltPair[] {
  const others = pairs.filter(([key]) => !compactKeys.includes(String(key)));
  const compaction = compactKeys.map((name): BoltPair => {
    return [Buffer.from(name), revisionBytes(compactRevision)];
  });
  const all = compactRevision > 0 ? [...others, ...compaction] : others;
  return all.sort(([a], [b]) => Buffer.compare(a, b));
}

function revisionBytes(revision: number, isDelete = false): Buffer {
  const bytes = Buffer.alloc(revisionSize + (isDelete ? 1 : 0));
  bytes.writeBigUInt64BE(BigInt(revision), 0);
  bytes.write("_", 8);
  if (isDelete) bytes[revisionSize] = tombstone;
  return bytes;
}
