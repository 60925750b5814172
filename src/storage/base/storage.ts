/**
 * The interface of a store, as small as the API server allows: an ordered map of keys with one
 * global revision, compare-and-swap writes, and watches from a revision. Implementations: memory
 * (tests and model), lmdb (default), etcd. All pass the contract suite in storage.contract.ts.
 */
export interface Storage extends AsyncDisposable {
  /**
   * Whether this process is the only writer, so that its watches are never behind an acknowledged
   * write.
   */
  readonly exclusive: boolean;

  /** The newest revision, linearizable: every write acknowledged before the call is included. */
  revision(): Promise<number>;

  /** One key, at the newest revision or at a given one. */
  get(key: string, options?: { readonly revision?: number }): Promise<GetResult>;

  /** All keys with a prefix, in byte order, in one consistent view. */
  range(prefix: string, options?: RangeOptions): Promise<RangeResult>;

  /**
   * Writes a key if it is as expected. Resolves once the write is durable; by then every watch of
   * this Storage in this process has received the event (etcd: soon after).
   */
  put(key: string, value: Uint8Array, options: PutOptions): Promise<WriteResult>;

  /** Deletes a key if it is as expected; same guarantees as put. */
  delete(key: string, options: DeleteOptions): Promise<WriteResult>;

  /**
   * Events of keys with a prefix, after a revision (exclusive), in revision order, in batches. Ends
   * when the signal aborts; throws CompactedError when that history is compacted, StorageError on a
   * permanent failure.
   */
  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch>;

  /**
   * Requests that every watch soon yields a batch (maybe empty) that reaches the newest revision,
   * or this one, which must exist already.
   */
  requestProgress(revision?: number): Promise<void>;

  /** Removes history below a revision. Older reads and watches then fail with CompactedError. */
  compact(revision: number): Promise<void>;

  /** Whether a value should be rewritten although it is unchanged; absent if that is never so. */
  isStale?(key: string): Promise<boolean>;

  /** Resolves when the store can serve; else rejects with the reason. */
  health(timeoutMs?: number): Promise<void>;

  /** Writes a consistent copy of all live keys to a file, with a checksum. See snapshot.ts for the format. */
  snapshot(file: string): Promise<SnapshotInfo>;

  /** Size in bytes, as reported by the store. */
  sizeBytes(): Promise<number>;
}

/**
 * A key and its value. Invariant: the value is never changed after it was passed, in either
 * direction.
 */
export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
  /** Revision of the last write of this key. */
  readonly modRevision: number;
  readonly createRevision: number;
}

export interface GetResult {
  readonly entry: Entry | undefined;
  /** The store's revision at the time of the read (or the requested one). */
  readonly revision: number;
}

export interface RangeOptions {
  readonly revision?: number;
  /** Limit of entries; 0 or absent means all. */
  readonly limit?: number;
  /** Start after this key (exclusive), to continue an earlier range. */
  readonly after?: string;
  /** Keys and revisions only: values are empty. */
  readonly keysOnly?: boolean;
}

export interface RangeResult {
  readonly entries: readonly Entry[];
  readonly revision: number;
  /** Number of entries with the prefix after the last one returned. */
  readonly remaining: number;
}

/** The expected state of a key before a write: "absent", exactly this mod revision, or "any". */
export type Expectation = "absent" | "any" | number;

/**
 * Another key that must still be at this revision when the store carries out a write: one that arrives late has no
 * effect.
 */
export interface Guard {
  readonly key: string;
  readonly modRevision: number;
}

export interface DeleteOptions {
  readonly expect: Expectation;
  /** Checked before the key itself. */
  readonly guard?: Guard | undefined;
}

export interface PutOptions extends DeleteOptions {
  /**
   * The key expires after this time (a watch sees a delete). Rounded up to seconds by some stores.
   */
  readonly ttlSeconds?: number;
}

/** A refused write is an ordinary outcome and contains the current entry. */
export type WriteResult =
  | { readonly done: true; readonly revision: number }
  | {
      readonly done: false;
      readonly current: Entry | undefined;
      readonly revision: number;
      /** The guard has refused it, which has changed up to this revision; the key itself was not looked at. */
      readonly byGuard?: true;
    };

export interface WatchOptions {
  /** Events after this revision; the newest revision means "from now on". */
  readonly after: number;
  readonly signal: AbortSignal;
  /**
   * The reader knows the previous value of each event, so that it need not be sent; default false.
   */
  readonly knowsPrevious?: boolean;
}

export interface WatchBatch {
  readonly events: readonly WatchEvent[];
  /** Every event up to this revision has been delivered by this batch or before it. */
  readonly revision: number;
}

export type WatchEvent =
  | { readonly type: "put"; readonly entry: Entry; readonly previous: Entry | undefined }
  /**
   * The revision of a delete is its own; previous is the deleted entry, undefined only if the
   * reader knows it.
   */
  | {
      readonly type: "delete";
      readonly key: string;
      readonly revision: number;
      readonly previous: Entry | undefined;
    };

export interface SnapshotInfo {
  readonly revision: number;
  readonly keys: number;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** A failure of the store. */
export class StorageError extends Error {
  override readonly name: string = "StorageError";
}

/** The requested revision has been compacted; the API server responds with 410 Gone. */
export class CompactedError extends StorageError {
  override readonly name = "CompactedError";
  readonly compactRevision: number;

  constructor(compactRevision: number) {
    super(`required revision has been compacted (the oldest kept is ${compactRevision})`);
    this.compactRevision = compactRevision;
  }
}

/** The store can't be reached or has no leader; nothing was written. Safe to retry. */
export class UnavailableError extends StorageError {
  override readonly name = "UnavailableError";
}

/** It is unknown whether the write happened. Never repeat it blindly: read first. */
export class AmbiguousWriteError extends StorageError {
  override readonly name = "AmbiguousWriteError";
}

/** The disk or the quota is full; reads continue, writes resume when there is room. */
export class NoSpaceError extends StorageError {
  override readonly name = "NoSpaceError";
}

/** The file is damaged or of another program; the message names it and how to restore. */
export class CorruptError extends StorageError {
  override readonly name = "CorruptError";
}

/** The value exceeds the store's limit; nothing was written. The API server responds with 413. */
export class TooLargeError extends StorageError {
  override readonly name = "TooLargeError";
}

/** The store denies access, in general or to this key; nothing was written. */
export class AccessDeniedError extends StorageError {
  override readonly name = "AccessDeniedError";
}

/** The store was closed by its owner; nothing was written. */
export class ClosedError extends StorageError {
  override readonly name = "ClosedError";

  constructor() {
    super("the store is closed");
  }
}
