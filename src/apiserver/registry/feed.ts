import type { FieldPlace } from "#/machinery/codec/json/encode-fields.ts";
import { append } from "#/std/base/append.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Entry, Storage, WatchBatch, WatchEvent } from "#/storage/base/storage.ts";
import { type StoredCodec, StoredObject } from "./stored-object.ts";
import type { ApiObject } from "./strategy.ts";
import { type CacheChange, WatchCache } from "./watch-cache.ts";

/** Key prefix of everything the server stores, as in upstream. */
export const registryPrefix = "/registry/";

/** Page size (entries) when a cache is filled from the store. */
const loadPageEntries = 5_000;

/**
 * Least age of events that the caches drop (ms), as upstream's: watchers that resume do so within seconds, and older
 * events are in the store.
 */
const freshMs = 75_000;
/** Events of a resource that are kept whatever their age (count), as upstream's: a quiet one is watched without a list. */
const leastEvents = 100;

interface Route {
  readonly prefix: string;
  readonly codec: StoredCodec;
  readonly cache: WatchCache;
  /** Changes that arrived while the cache was filling; undefined once it is full. */
  waiting: CacheChange[] | undefined;
  /** The cache that replaces it once that one is full. */
  successor: Route | undefined;
}

/** Options of a resource's cache. */
interface RouteOptions {
  /** "/registry/pods/". */
  readonly prefix: string;
  readonly codec: StoredCodec;
  readonly indexedValue?: ((object: StoredObject) => string) | undefined;
}

/** An encoded object, and the places of its fields in the bytes. */
interface WrittenObject {
  readonly object: ApiObject;
  readonly places: readonly FieldPlace[];
}

/**
 * The only watch of the store, and the caches it keeps up to date. All caches advance together, so one revision
 * describes the progress of all of them.
 */
export class Feed {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #routes = new Map<string, Route>();
  /** Objects being written, by the identity of their bytes: the event of the write needs no parsing. */
  readonly #written = new WeakMap<Uint8Array, WrittenObject>();
  readonly #progress = { revision: 0 };
  /** The pending lookup of the store's revision, and the one that starts after it. */
  #asked: Promise<number> | undefined;
  #next: Promise<number> | undefined;
  /** When the caches last dropped events, and the revision of that time. */
  #period = { startMs: 0, revision: 0 };
  #waiters: { readonly revision: number; readonly resolve: () => void }[] = [];

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** Every write up to this revision is in the caches. */
  get revision(): number {
    return this.#progress.revision;
  }

  /** Records the parsed form of bytes that are about to be written. The object must not change any more. */
  remember(bytes: Uint8Array, written: WrittenObject): void {
    this.#written.set(bytes, written);
  }

  /** Waits until the caches hold every write that was acknowledged before this call, by any API server. */
  async catchUp(): Promise<void> {
    const revision = await this.#storeRevision();
    if (this.revision < revision) await this.#storage.requestProgress(revision);
    await this.waitUntil(revision);
  }

  /** Callers during a lookup share the next one: its result must be newer than the call. */
  #storeRevision(): Promise<number> {
    const asked = this.#asked;
    if (!asked) {
      const question = this.#storage.revision().finally(() => {
        this.#asked = undefined;
      });
      this.#asked = question;
      return question;
    }
    this.#next ??= asked
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#storeRevision();
      });
    return this.#next;
  }

  /** Follows the store until the signal aborts; rejects if the store fails permanently. */
  async run(signal: AbortSignal, onStarted: () => void): Promise<void> {
    this.#progress.revision = await this.#storage.revision();
    const options = { after: this.revision, signal, knowsPrevious: true };
    const batches = this.#storage.watch(registryPrefix, options);
    onStarted();
    for await (const batch of batches) this.#take(batch);
  }

  /** Makes a cache for a key prefix and fills it. An existing cache of the prefix is kept up to date until then. */
  async attach({ prefix, codec, indexedValue }: RouteOptions): Promise<WatchCache> {
    const cache = new WatchCache({
      prefix,
      progress: this.#progress,
      indexedValue,
    });
    const route: Route = { prefix, codec, cache, waiting: [], successor: undefined };
    const present = this.#routes.get(prefix);
    if (present) present.successor = route;
    else this.#routes.set(prefix, route);
    const { objects, revision } = await this.#loadAll(route);
    await this.waitUntil(revision);
    const late = (route.waiting ?? []).filter((change) => change.revision > revision);
    route.waiting = undefined;
    this.#routes.set(prefix, route);
    cache.load(objects, revision);
    if (late.length > 0) cache.apply(late);
    return cache;
  }

  /** Stops updating a cache and removes it. */
  detach(prefix: string, cache: WatchCache | undefined): void {
    if (this.#routes.get(prefix)?.cache === cache) this.#routes.delete(prefix);
  }

  /** Resolves true once the caches have seen a revision, false after the time limit. */
  waitUntil(revision: number, timeoutMs = Number.POSITIVE_INFINITY): MaybePromise<boolean> {
    if (this.revision >= revision) return true;
    return new Promise((resolve) => {
      const timer = Number.isFinite(timeoutMs)
        ? this.#clock.setTimer(timeoutMs, () => {
            this.#waiters = this.#waiters.filter((waiter) => waiter !== entry);
            resolve(false);
          })
        : undefined;
      const entry = {
        revision,
        resolve: () => {
          timer?.cancel();
          resolve(true);
        },
      };
      this.#waiters.push(entry);
    });
  }

  async #loadAll(route: Route): Promise<{ objects: StoredObject[]; revision: number }> {
    const objects: StoredObject[] = [];
    let after: string | undefined;
    let revision: number | undefined;
    for (;;) {
      const page = await this.#storage.range(route.prefix, {
        limit: loadPageEntries,
        ...(after === undefined ? {} : { after }),
        ...(revision === undefined ? {} : { revision }),
      });
      revision ??= page.revision;
      for (const entry of page.entries) objects.push(new StoredObject(entry, route.codec));
      after = page.entries.at(-1)?.key;
      if (page.remaining === 0 || after === undefined) return { objects, revision };
    }
  }

  #take(batch: WatchBatch): void {
    const changes = new Map<Route, CacheChange[]>();
    for (const event of batch.events) {
      let route = this.#routeOf(event.type === "put" ? event.entry.key : event.key);
      for (; route; route = route.successor) {
        const list = changes.get(route);
        const change = this.#changeOf(event, route.codec);
        if (list) list.push(change);
        else changes.set(route, [change]);
      }
      // The parsed form is needed only while the bytes are.
      if (event.type === "put") this.#written.delete(event.entry.value);
    }
    this.#progress.revision = Math.max(this.revision, batch.revision);
    for (const [route, list] of changes) {
      if (route.waiting) append(route.waiting, list);
      else route.cache.apply(list);
    }
    this.#forgetOldEvents();
    this.#wake();
  }

  /** The caches keep events for one to two periods. */
  #forgetOldEvents(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#period.startMs < freshMs) return;
    this.forgetEvents(this.#period.revision, leastEvents);
    this.#period = { startMs: nowMs, revision: this.revision };
  }

  /** Drops events up to a revision from the caches, except the last few of each (count). */
  forgetEvents(revision: number, least: number): void {
    for (const { cache } of this.#routes.values()) cache.forgetUntil(revision, least);
  }

  #wake(): void {
    if (this.#waiters.length === 0) return;
    const due = this.#waiters.filter((waiter) => waiter.revision <= this.revision);
    this.#waiters = this.#waiters.filter((waiter) => waiter.revision > this.revision);
    for (const waiter of due) waiter.resolve();
  }

  /** Prefixes have one segment (pods) or two (services/specs, example.com/widgets). */
  #routeOf(key: string): Route | undefined {
    const first = key.indexOf("/", registryPrefix.length) + 1;
    if (first === 0) return undefined;
    const second = key.indexOf("/", first) + 1;
    return (
      (second > 0 ? this.#routes.get(key.slice(0, second)) : undefined) ??
      this.#routes.get(key.slice(0, first))
    );
  }

  #changeOf(event: WatchEvent, codec: StoredCodec): CacheChange {
    if (event.type === "put") {
      return {
        key: event.entry.key,
        revision: event.entry.modRevision,
        object: this.#stored(event.entry, codec),
      };
    }
    return { key: event.key, revision: event.revision, object: undefined };
  }

  #stored(entry: Entry, codec: StoredCodec): StoredObject {
    const written = this.#written.get(entry.value);
    if (written) written.object.metadata.resourceVersion = String(entry.modRevision);
    return new StoredObject(entry, codec, written?.object, written?.places);
  }
}
