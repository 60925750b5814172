import { type Clock, systemClock } from "#/std/time/clock.ts";
import { type SnapshotEntry, writeSnapshot } from "../base/snapshot.ts";
import {
  ClosedError,
  CompactedError,
  type DeleteOptions,
  type Entry,
  type GetResult,
  type PutOptions,
  type RangeOptions,
  type RangeResult,
  type SnapshotInfo,
  type Storage,
  type WatchBatch,
  type WatchOptions,
  type WriteResult,
} from "../base/storage.ts";
import { compactTo } from "./compact-once.ts";
import { runCompactor } from "./compactor.ts";
import { toEntry } from "./etcd-entry.ts";
import { isFailure, toStorageError } from "./etcd-failure.ts";
import { Members, type MembersOptions } from "./etcd-members.ts";
import type { Request } from "./etcd-services.ts";
import { EtcdWatch } from "./etcd-watch.ts";
import { keysWithPrefix } from "./key-range.ts";
import { Leases } from "./leases.ts";
import { findOldestRevision } from "./oldest-revision.ts";
import { readPages } from "./range-pages.ts";
import { snapshotEntries } from "./snapshot-entries.ts";
import { WrittenValues } from "./written-values.ts";

export interface EtcdOptions extends Omit<MembersOptions, "clock"> {
  /** The prefix of our keys, for the key that health() reads; default `/registry`. */
  readonly prefix?: string;
  /** Interval of compactions; default 5 minutes, 0 for never. */
  readonly compactIntervalMs?: number;
  /** How long a lease is used for further keys; default 60 s. */
  readonly leaseReuseSeconds?: number;
  readonly clock?: Clock;
}

const defaultCompactIntervalMs = 5 * 60_000;
/** Upstream: staging/src/k8s.io/apiserver/pkg/storage/storagebackend/config.go. */
const healthTimeoutMs = 2_000;
/** Limit of attempts of a read at the newest revision that is compacted while it runs. */
const maxRangeAttempts = 3;

/**
 * A cluster of etcd members. Reads are linearizable and survive the loss of a member; a write of
 * unknown outcome fails with AmbiguousWriteError and is never repeated. Keys and values are stored
 * unchanged.
 */
export class EtcdStorage implements Storage {
  readonly exclusive = false;
  readonly #members: Members;
  readonly #clock: Clock;
  readonly #healthKey: string;
  readonly #leases: Leases;
  readonly #watches = new Set<EtcdWatch>();
  readonly #written = new WrittenValues();
  readonly #compactor: Promise<void>;
  /** History before this revision is compacted; possibly more. */
  #oldestRevision = 0;

  /** Reads the TLS files; connects when first used. */
  static async open(options: EtcdOptions): Promise<EtcdStorage> {
    const { prefix = "/registry", compactIntervalMs = defaultCompactIntervalMs } = options;
    const clock = options.clock ?? systemClock;
    const members = await Members.open({ ...options, clock });
    return new EtcdStorage(members, { ...options, prefix, clock, compactIntervalMs });
  }

  private constructor(
    members: Members,
    options: EtcdOptions & { prefix: string; clock: Clock; compactIntervalMs: number },
  ) {
    const { prefix, clock, compactIntervalMs } = options;
    this.#members = members;
    this.#clock = clock;
    this.#healthKey = `${prefix}/health`;
    const grant = (ttlSeconds: number) => grantLease(members, ttlSeconds);
    this.#leases = new Leases(clock, grant, options.leaseReuseSeconds);
    this.#compactor =
      compactIntervalMs > 0
        ? runCompactor(members, { clock, intervalMs: compactIntervalMs })
        : Promise.resolve();
  }

  async revision(): Promise<number> {
    return (await this.get(this.#healthKey)).revision;
  }

  async get(
    key: string,
    { revision = 0 }: { readonly revision?: number } = {},
  ): Promise<GetResult> {
    try {
      const response = await this.#members.read(({ kv }, options) =>
        kv.Range({ key, revision }, options),
      );
      const [found] = response.kvs;
      const now = response.header?.revision ?? 0;
      return { entry: found && toEntry(found), revision: revision || now };
    } catch (error) {
      throw await this.#readError(error, revision);
    }
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<RangeResult> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#range(prefix, options);
      } catch (error) {
        const outdated = isFailure(error, "compacted") && !options.revision;
        if (outdated && attempt < maxRangeAttempts) continue;
        throw await this.#readError(error, options.revision ?? 0);
      }
    }
  }

  async #range(prefix: string, options: RangeOptions): Promise<RangeResult> {
    const keys = keysWithPrefix(prefix, options.after);
    if (!keys) {
      const revision = options.revision || (await this.revision());
      return { entries: [], revision, remaining: 0 };
    }
    const entries: Entry[] = [];
    let revision = 0;
    let remaining = 0;
    for await (const page of readPages(this.#members, keys, options)) {
      for (const kv of page.kvs) entries.push(toEntry(kv));
      ({ revision, remaining } = page);
    }
    return { entries, revision, remaining };
  }

  async #readError(error: unknown, revision: number): Promise<unknown> {
    if (!isFailure(error, "compacted")) return toStorageError(error);
    if (revision >= this.#oldestRevision) {
      this.#oldestRevision = await findOldestRevision(this.#members.current, revision);
    }
    return new CompactedError(this.#oldestRevision);
  }

  async put(key: string, value: Uint8Array, options: PutOptions): Promise<WriteResult> {
    const { ttlSeconds } = options;
    const write = async (lease: bigint): Promise<WriteResult> => {
      if (this.#watches.size > 0) this.#written.add(key, value);
      let done = false;
      try {
        const result = await this.#write(key, options, { put: { key, value, lease } });
        done = result.done;
        return result;
      } finally {
        if (!done) this.#written.drop(key, value);
      }
    };
    if (ttlSeconds === undefined) return write(0n);
    const ttl = Math.ceil(ttlSeconds);
    try {
      return await write(await this.#leases.lease(ttl));
    } catch (error) {
      if (!isFailure(error, "lease not found")) throw error;
      this.#leases.forget(ttl);
      return await write(await this.#leases.lease(ttl)).catch((again: unknown) => {
        throw toStorageError(again);
      });
    }
  }

  delete(key: string, options: DeleteOptions): Promise<WriteResult> {
    return this.#write(key, options, { deleteRange: { key } });
  }

  async #write(
    key: string,
    { expect, guard }: DeleteOptions,
    request: Request,
  ): Promise<WriteResult> {
    const compare = [
      ...(guard ? [isAt(guard.key, guard.modRevision)] : []),
      ...(expect === "any" ? [] : [isAt(key, expect === "absent" ? 0 : expect)]),
    ];
    const failure: { request: Request }[] = [{ request: { range: { key } } }];
    if (guard) failure.push({ request: { range: { key: guard.key, keysOnly: true } } });
    const txn = { compare, success: [{ request }], failure };
    const response = await this.#members.write(({ kv }, options) => kv.Txn(txn, options));
    const revision = response.header?.revision ?? 0;
    if (response.succeeded) return { done: true, revision };
    const [found, guarded] = response.responses.map((one) => one.response?.range?.kvs[0]);
    if (guard && (guarded?.modRevision ?? 0) !== guard.modRevision) {
      return { done: false, byGuard: true, revision, current: undefined };
    }
    return { done: false, revision, current: found && toEntry(found) };
  }

  async *watch(prefix: string, options: WatchOptions): AsyncGenerator<WatchBatch> {
    const source = { members: this.#members, clock: this.#clock, written: this.#written };
    const watch = new EtcdWatch(source, prefix, options);
    this.#watches.add(watch);
    try {
      yield* watch.batches();
    } finally {
      this.#watches.delete(watch);
    }
    if (!options.signal.aborted) throw new ClosedError();
  }

  async requestProgress(revision?: number): Promise<void> {
    const target = revision ?? (await this.revision());
    for (const watch of this.#watches) watch.requestProgress(target);
  }

  async compact(revision: number): Promise<void> {
    await compactTo(this.#members, revision);
    this.#oldestRevision = Math.max(this.#oldestRevision, revision);
  }

  /** Upstream: staging/src/k8s.io/apiserver/pkg/storage/storagebackend/factory/etcd3.go. */
  async health(timeoutMs = healthTimeoutMs): Promise<void> {
    const key = this.#healthKey;
    await this.#members.read(({ kv }, options) => kv.Range({ key }, options), timeoutMs);
  }

  async snapshot(file: string): Promise<SnapshotInfo> {
    const revision = await this.revision();
    return writeSnapshot(file, { revision, entries: snapshotEntries(this.#members, revision) });
  }

  /** All keys at a revision, with the time until they expire; the compactors' own key is left out. */
  entriesAt(revision: number): AsyncGenerator<SnapshotEntry> {
    return snapshotEntries(this.#members, revision);
  }

  /** The oldest revision that can be read. */
  oldestRevision(): Promise<number> {
    return findOldestRevision(this.#members.current, 0);
  }

  async sizeBytes(): Promise<number> {
    const status = await this.#members.read(({ maintenance }, options) =>
      maintenance.Status({}, options),
    );
    return status.dbSizeBytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#members.close();
    await this.#compactor;
  }
}

/** A comparison of a transaction. */
const isAt = (key: string, modRevision: number) =>
  ({ target: "MOD", key, value: { modRevision } }) as const;

/** A lease that is granted twice does no harm: it expires without keys. */
async function grantLease(members: Members, ttlSeconds: number): Promise<bigint> {
  const { id } = await members.read(({ lease }, options) =>
    lease.LeaseGrant({ ttlSeconds }, options),
  );
  return id;
}
