import { type Clock, nextTurn, systemClock } from "#/std/time/clock.ts";
import { type SnapshotEntry, writeSnapshot } from "../base/snapshot.ts";
import {
  ClosedError,
  type DeleteOptions,
  type Entry,
  type GetResult,
  type PutOptions,
  type RangeOptions,
  type RangeResult,
  type SnapshotInfo,
  type Storage,
  StorageError,
  TooLargeError,
  type WatchBatch,
  type WatchEvent,
  type WatchOptions,
  type WriteResult,
} from "../base/storage.ts";
import { WatchHub } from "../base/watch-hub.ts";
import { Checkpointer } from "./checkpointer.ts";
import { claimDirectory } from "./directory-lock.ts";
import { Expirer } from "./expirer.ts";
import { GroupWriter } from "./group-writer.ts";
import type { HistoryLimits } from "./history-marks.ts";
import { Journal } from "./journal.ts";
import { loadVersions } from "./load.ts";
import { Tree, type TreePin } from "./tree.ts";
import { isLive, toEntry, type Version } from "./version.ts";
import type { Versions } from "./versions.ts";

export interface LmdbStorageOptions extends Partial<HistoryLimits> {
  /** The directory of the files; created if missing. */
  readonly directory: string;
  readonly clock?: Clock;
  /**
   * How long history can be read and watched. Default 5 minutes, as kube-apiserver lets etcd keep
   * it.
   */
  readonly historyMs?: number;
  /** Limit of kept versions (bytes), old and current. Default 64 MiB. */
  readonly historyBytes?: number;
}

/** Limit of values read in one turn of the event loop. */
const readSlice = 1000;
/** Limit of old versions read for one batch of a watch. */
const replaySlice = 1000;
/** Delay (ms) before the deletion of an expired key is retried after a failure. */
const expiryRetryMs = 10_000;
/** Limits of LMDB and the journal. */
const maxKeyBytes = 4096;
const maxValueBytes = 256 << 20;

/** The embedded store: one directory on the local disk, one process. See ../README.md. */
export class LmdbStorage implements Storage {
  readonly exclusive = true;
  readonly #clock: Clock;
  readonly #claim: Disposable;
  readonly #tree: Tree;
  readonly #journal: Journal;
  readonly #versions: Versions;
  readonly #hub: WatchHub;
  readonly #checkpointer: Checkpointer;
  readonly #writer: GroupWriter;
  readonly #expirer: Expirer;
  #closing: Promise<void> | undefined;

  private constructor(parts: OpenedParts) {
    const { clock, claim, tree, journal, versions } = parts;
    this.#clock = clock;
    this.#claim = claim;
    this.#tree = tree;
    this.#journal = journal;
    this.#versions = versions;
    this.#hub = new WatchHub(versions.revision, (prefix, after) => this.#replay(prefix, after));
    this.#expirer = new Expirer(clock, (version) => this.#expire(version));
    this.#checkpointer = new Checkpointer(parts, parts.loaded);
    this.#writer = new GroupWriter({
      versions,
      journal,
      checkpointer: this.#checkpointer,
      hub: this.#hub,
      valueOf: (version) => this.#valueOf(version),
      onWritten: (version) => this.#expirer.add(version),
    });
    for (const version of versions.range("")) this.#expirer.add(version);
  }

  /** Opens the store in a directory, or creates it. No other process may have it open. */
  static async open(options: LmdbStorageOptions): Promise<LmdbStorage> {
    const { directory, clock = systemClock } = options;
    const { historyMs = 5 * 60_000, historyBytes = 64 << 20 } = options;
    await using opened = new AsyncDisposableStack();
    const claim = opened.use(await claimDirectory(directory));
    const tree = opened.use(await Tree.open(directory));
    const { versions, loaded } = await loadVersions(directory, tree);
    const journal = opened.use(await Journal.open(directory, Buffer.from(tree.state.salt, "hex")));
    const parts = { clock, historyMs, historyBytes, claim, tree, journal, versions, loaded };
    const storage = new LmdbStorage(parts);
    opened.move();
    return storage;
  }

  async revision(): Promise<number> {
    this.#assertOpen();
    return this.#versions.revision;
  }

  async get(key: string, options: { readonly revision?: number } = {}): Promise<GetResult> {
    this.#assertOpen();
    const { revision = this.#versions.revision } = options;
    const version = this.#versions.findAt(key, revision);
    return { entry: version && this.#entryOf(version), revision };
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<RangeResult> {
    this.#assertOpen();
    const { revision = this.#versions.revision, after, keysOnly = false } = options;
    const found = this.#versions.range(prefix, revision, after);
    const page = options.limit ? found.slice(0, options.limit) : found;
    const remaining = found.length - page.length;
    if (keysOnly) {
      const entries = page.map((version) => toEntry(version, new Uint8Array(0)));
      return { entries, revision, remaining };
    }
    const entries: Entry[] = [];
    for await (const slice of this.#readSlices(page)) entries.push(...slice);
    return { entries, revision, remaining };
  }

  async put(key: string, value: Uint8Array, options: PutOptions): Promise<WriteResult> {
    assertSize("key", Buffer.byteLength(key), maxKeyBytes);
    assertSize("value", value.length, maxValueBytes);
    const { expect, guard, ttlSeconds } = options;
    const expiresAtMs =
      ttlSeconds === undefined ? 0 : Math.ceil(this.#clock.now() + ttlSeconds * 1000);
    return this.#writer.submit({ key, value, expect, guard, expiresAtMs });
  }

  async delete(key: string, { expect, guard }: DeleteOptions): Promise<WriteResult> {
    return this.#writer.submit({ key, value: undefined, expect, guard, expiresAtMs: 0 });
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    return this.#hub.watch(prefix, options);
  }

  async requestProgress(): Promise<void> {
    this.#assertOpen();
    this.#hub.requestProgress();
  }

  async compact(revision: number): Promise<void> {
    this.#assertOpen();
    await this.#checkpointer.compact(revision);
  }

  async health(): Promise<void> {
    this.#assertOpen();
    const failure = this.#writer.failure ?? this.#checkpointer.failure;
    if (failure) throw failure;
  }

  async snapshot(file: string): Promise<SnapshotInfo> {
    this.#assertOpen();
    const { revision } = this.#versions;
    const versions = this.#versions.range("");
    return writeSnapshot(file, { revision, entries: this.#snapshotEntries(versions) });
  }

  async sizeBytes(): Promise<number> {
    this.#assertOpen();
    return (await this.#tree.sizeBytes()) + (await this.#journal.sizeBytes());
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#expirer[Symbol.dispose]();
    await this.#writer.close();
    this.#hub.fail(new ClosedError());
    await this.#checkpointer.stop();
    await this.#journal[Symbol.asyncDispose]();
    await this.#tree[Symbol.asyncDispose]();
    this.#claim[Symbol.dispose]();
  }

  #assertOpen(): void {
    if (this.#closing) throw new ClosedError();
  }

  #valueOf(version: Version, pin?: TreePin): Uint8Array {
    const held = version.pending?.value ?? version.shared?.deref();
    if (held) return held;
    const value = this.#tree.read(version.modRevision, pin);
    version.shared = new WeakRef(value);
    return value;
  }

  #entryOf(version: Version): Entry {
    return toEntry(version, this.#valueOf(version));
  }

  /** The entries of versions, read in slices between other work; all at the current state. */
  async *#readSlices(versions: readonly Version[]): AsyncGenerator<Entry[]> {
    if (versions.length <= readSlice) {
      yield versions.map((version) => this.#entryOf(version));
      return;
    }
    const pendingValues = versions.map(({ pending }) => pending?.value);
    using pin = this.#tree.pin();
    for (let start = 0; start < versions.length; start += readSlice) {
      if (start > 0) await nextTurn();
      this.#assertOpen();
      yield versions.slice(start, start + readSlice).map((version, index) => {
        return toEntry(version, pendingValues[start + index] ?? this.#valueOf(version, pin));
      });
    }
  }

  async *#snapshotEntries(versions: readonly Version[]): AsyncGenerator<SnapshotEntry> {
    let index = 0;
    for await (const slice of this.#readSlices(versions)) {
      for (const entry of slice) {
        const expiresAtMs = versions[index++]?.expiresAtMs ?? 0;
        const leftMs = Math.max(1, expiresAtMs - this.#clock.now());
        yield { ...entry, ttlRemainingMs: expiresAtMs === 0 ? undefined : leftMs };
      }
    }
  }

  /**
   * Historical events for a watch; other work runs first, since a long history has many batches.
   */
  async #replay(prefix: string, after: number): Promise<WatchBatch> {
    await nextTurn();
    this.#assertOpen();
    const versions = this.#versions.since(after, replaySlice);
    const revision = versions.at(-1)?.modRevision ?? this.#versions.revision;
    const events = versions
      .filter((version) => version.key.startsWith(prefix))
      .map((version) => this.#eventOf(version));
    return { events, revision };
  }

  #eventOf(version: Version): WatchEvent {
    const { key, modRevision } = version;
    const previous = isLive(version.previous) ? this.#entryOf(version.previous) : undefined;
    if (isLive(version)) return { type: "put", entry: this.#entryOf(version), previous };
    if (!previous) throw new StorageError(`revision ${modRevision} deletes nothing`);
    return { type: "delete", key, revision: modRevision, previous };
  }

  #expire(version: Version): void {
    const { key, modRevision } = version;
    const request = { key, value: undefined, expect: modRevision, expiresAtMs: 0 };
    this.#writer.submit(request).catch(() => {
      if (this.#closing) return;
      this.#clock.setTimer(expiryRetryMs, () => this.#expire(version), { keepAlive: false });
    });
  }
}

interface OpenedParts extends HistoryLimits {
  readonly clock: Clock;
  readonly claim: Disposable;
  readonly tree: Tree;
  readonly journal: Journal;
  readonly versions: Versions;
  readonly loaded: { readonly bytes: number; readonly forgotten: readonly number[] };
}

function assertSize(what: string, bytes: number, most: number): void {
  if (bytes > most) throw new TooLargeError(`a ${what} has ${bytes} bytes, more than ${most}`);
}
