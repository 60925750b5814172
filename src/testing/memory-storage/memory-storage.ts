import { type Clock, systemClock, type Timer } from "#/std/time/clock.ts";
import { isAsExpected, isLetThrough } from "#/storage/base/expectation.ts";
import { compareKeys } from "#/storage/base/key-order.ts";
import { openSnapshot, type SnapshotEntry, writeSnapshot } from "#/storage/base/snapshot.ts";
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
  StorageError,
  type WatchBatch,
  type WatchEvent,
  type WatchOptions,
  type WriteResult,
} from "#/storage/base/storage.ts";
import { eventKey, eventRevision } from "#/storage/base/watch-event.ts";
import { WatchHub } from "#/storage/base/watch-hub.ts";

export interface MemoryStorageOptions {
  readonly clock?: Clock;
  /**
   * Limit of events kept for historical reads and watches; older ones are compacted. Default
   * 100,000.
   */
  readonly historyLimit?: number;
}

/** Keys at one revision. */
type State = Map<string, Entry>;

/**
 * The whole store in memory: for tests, and the model of the other implementations. Simplicity
 * before speed: history is read by replaying the log.
 */
export class MemoryStorage implements Storage {
  readonly exclusive = true;
  readonly #clock: Clock;
  readonly #historyLimit: number;
  readonly #live: State = new Map();
  /** Expiry times of keys with a TTL, on the wall clock. */
  readonly #expiresAt = new Map<string, number>();
  /** The state at the compact revision, and every event since. */
  readonly #compacted: State = new Map();
  #log: WatchEvent[] = [];
  #compactRevision = 0;
  #revision = 1;
  readonly #hub = new WatchHub(1, (prefix, after) => this.#history(prefix, after));
  #timer: { readonly at: number; readonly timer: Timer } | undefined;
  #closed = false;

  constructor({ clock = systemClock, historyLimit = 100_000 }: MemoryStorageOptions = {}) {
    this.#clock = clock;
    this.#historyLimit = historyLimit;
  }

  /** A store with the content and the revisions of a snapshot. */
  static async restore(file: string, options: MemoryStorageOptions = {}): Promise<MemoryStorage> {
    const storage = new MemoryStorage(options);
    const { info, entries } = await openSnapshot(file);
    for await (const { ttlRemainingMs, ...entry } of entries()) {
      storage.#live.set(entry.key, entry);
      storage.#compacted.set(entry.key, entry);
      if (ttlRemainingMs !== undefined) storage.#expireAfter(entry.key, ttlRemainingMs);
    }
    storage.#revision = info.revision;
    storage.#compactRevision = info.revision;
    storage.#hub.publish([], info.revision);
    return storage;
  }

  async revision(): Promise<number> {
    this.#assertOpen();
    return this.#revision;
  }

  async get(key: string, { revision }: { readonly revision?: number } = {}): Promise<GetResult> {
    this.#assertOpen();
    return { entry: this.#stateAt(revision).get(key), revision: revision ?? this.#revision };
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<RangeResult> {
    this.#assertOpen();
    const { revision = this.#revision, limit = 0, after, keysOnly = false } = options;
    const found = [...this.#stateAt(options.revision).values()]
      .filter(({ key }) => key.startsWith(prefix))
      .filter(({ key }) => after === undefined || compareKeys(key, after) > 0)
      .sort((a, b) => compareKeys(a.key, b.key));
    const page = limit > 0 ? found.slice(0, limit) : found;
    const entries = keysOnly ? page.map((entry) => ({ ...entry, value: new Uint8Array(0) })) : page;
    return { entries, revision, remaining: found.length - page.length };
  }

  async put(key: string, value: Uint8Array, options: PutOptions): Promise<WriteResult> {
    this.#assertOpen();
    if (!this.#passes(options)) return this.#refusedByGuard();
    const previous = this.#live.get(key);
    if (!isAsExpected(previous, options.expect)) return this.#refused(previous);
    const modRevision = this.#revision + 1;
    const createRevision = previous?.createRevision ?? modRevision;
    const entry = { key, value, modRevision, createRevision };
    this.#expiresAt.delete(key);
    this.#commit({ type: "put", entry, previous });
    if (options.ttlSeconds !== undefined) this.#expireAfter(key, options.ttlSeconds * 1000);
    return { done: true, revision: modRevision };
  }

  async delete(key: string, options: DeleteOptions): Promise<WriteResult> {
    this.#assertOpen();
    if (!this.#passes(options)) return this.#refusedByGuard();
    const previous = this.#live.get(key);
    if (!isAsExpected(previous, options.expect)) return this.#refused(previous);
    if (previous) this.#remove(previous);
    return { done: true, revision: this.#revision };
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
    if (revision > this.#revision) throw new StorageError(`revision ${revision} is in the future`);
    if (revision <= this.#compactRevision) return;
    for (const event of this.#log) {
      if (eventRevision(event) <= revision) apply(event, this.#compacted);
    }
    this.#log = this.#log.filter((event) => eventRevision(event) > revision);
    this.#compactRevision = revision;
  }

  async health(): Promise<void> {
    this.#assertOpen();
  }

  async snapshot(file: string): Promise<SnapshotInfo> {
    this.#assertOpen();
    const now = this.#clock.now();
    const { entries } = await this.range("");
    const withTtl = entries.map((entry): SnapshotEntry => {
      const at = this.#expiresAt.get(entry.key);
      return { ...entry, ttlRemainingMs: at === undefined ? undefined : Math.max(1, at - now) };
    });
    return writeSnapshot(file, { revision: this.#revision, entries: withTtl });
  }

  async sizeBytes(): Promise<number> {
    this.#assertOpen();
    let size = 0;
    for (const { key, value } of this.#live.values()) size += key.length + value.length;
    return size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#timer?.timer.cancel();
    this.#hub.fail(new ClosedError());
  }

  #commit(event: WatchEvent): void {
    this.#revision++;
    apply(event, this.#live);
    this.#log.push(event);
    if (this.#log.length > 2 * this.#historyLimit)
      this.compact(this.#revision - this.#historyLimit);
    this.#hub.publish([event], this.#revision);
  }

  #remove(previous: Entry): void {
    const { key } = previous;
    this.#expiresAt.delete(key);
    this.#commit({ type: "delete", key, revision: this.#revision + 1, previous });
  }

  #passes({ guard }: DeleteOptions): boolean {
    return isLetThrough(guard, (key) => this.#live.get(key));
  }

  #refusedByGuard(): WriteResult {
    return { done: false, byGuard: true, current: undefined, revision: this.#revision };
  }

  #refused(current: Entry | undefined): WriteResult {
    return { done: false, current, revision: this.#revision };
  }

  #stateAt(revision = this.#revision): State {
    if (revision > this.#revision) throw new StorageError(`revision ${revision} is in the future`);
    if (revision < this.#compactRevision) throw new CompactedError(this.#compactRevision);
    if (revision === this.#revision) return this.#live;
    const state = new Map(this.#compacted);
    for (const event of this.#log) if (eventRevision(event) <= revision) apply(event, state);
    return state;
  }

  #history(prefix: string, after: number): WatchBatch {
    if (after < this.#compactRevision) throw new CompactedError(this.#compactRevision);
    const events = this.#log.filter(
      (event) => eventRevision(event) > after && eventKey(event).startsWith(prefix),
    );
    return { events, revision: this.#revision };
  }

  #expireAfter(key: string, ms: number): void {
    const at = this.#clock.now() + ms;
    this.#expiresAt.set(key, at);
    if (!this.#timer || at < this.#timer.at) this.#wakeAt(at);
  }

  #wakeAt(at: number): void {
    this.#timer?.timer.cancel();
    const ms = Math.max(0, at - this.#clock.now());
    this.#timer = {
      at,
      timer: this.#clock.setTimer(ms, () => this.#expire(), { keepAlive: false }),
    };
  }

  #expire(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [key, at] of this.#expiresAt) {
      const entry = this.#live.get(key);
      if (at > now) next = Math.min(next, at);
      else if (entry) this.#remove(entry);
    }
    if (next < Number.POSITIVE_INFINITY) this.#wakeAt(next);
  }

  #assertOpen(): void {
    if (this.#closed) throw new ClosedError();
  }
}

function apply(event: WatchEvent, state: State): void {
  if (event.type === "put") state.set(event.entry.key, event.entry);
  else state.delete(event.key);
}
