import BTree, { simpleComparator } from "sorted-btree";
import { OrderedItems } from "./ordered-items.ts";
import type { StoredObject } from "./stored-object.ts";
import { TraitIndex } from "./trait-index.ts";

/** One change of one object, as watchers of its resource see it before their selectors are applied. */
export interface CacheEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The new state; for DELETED the last one, at the revision of the delete. */
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
  readonly revision: number;
}

/** All objects of one resource at one revision, in key order. Immutable. */
export interface Snapshot {
  readonly revision: number;
  readonly items: OrderedItems;
}

/** The scope of a watcher's interest, for a fast lookup of the watchers of a change. */
export interface WatchScope {
  /** Part of the key that must match: "ns/" for a namespace, "ns/name" for one object, "" for all. */
  readonly keyPrefix: string;
  /** Required value of the indexed field. */
  readonly indexed?: string | undefined;
}

/** An event on its way to watchers, with the frames encoded so far, which later watchers reuse. */
export interface Delivery {
  readonly event: CacheEvent;
  /** Encoded frames by type and form; dropped after the delivery, so that history costs no memory. */
  readonly frames: Map<string, Uint8Array>;
}

/** Receives changes in revision order, one call per batch. */
interface Watcher {
  readonly scope: WatchScope;
  deliver(deliveries: readonly Delivery[]): void;
}

interface WatchCacheOptions {
  /** Progress of the feed: everything up to this revision is in every cache. */
  readonly progress: { readonly revision: number };
  /** Key prefix of all objects, slash included. */
  readonly prefix: string;
  /** Value of the resource's indexed field. */
  readonly indexedValue?: ((object: StoredObject) => string) | undefined;
}

/** Limit of recent events kept for watchers that resume (count); older ones are read from the store. */
const windowEvents = 4096;
/** Limit of the total size of their objects (bytes). */
const windowBytes = 8 * 1024 * 1024;

/**
 * The current objects of one resource, kept up to date by the feed. A snapshot is only a pointer; writes copy what
 * snapshots share.
 */
export class WatchCache {
  /** In order, by storage key: comparing parts of keys would cost much more. */
  readonly #items = new BTree.default<string, StoredObject>(undefined, simpleComparator);
  /** The same objects by item key. */
  readonly #byItemKey = new Map<string, StoredObject>();
  /** The items of the last snapshot; undefined once they have changed. */
  #shared: OrderedItems | undefined;
  readonly #traits = new TraitIndex();
  #window: CacheEvent[] = [];
  #windowBytes = 0;
  #windowStart = 0;
  readonly #watchers = new WatcherIndex();
  readonly #options: WatchCacheOptions;

  constructor(options: WatchCacheOptions) {
    this.#options = options;
  }

  /** Everything up to this revision is in the cache. */
  get revision(): number {
    return this.#options.progress.revision;
  }

  /** Watches from this revision or later can be served from memory. */
  get windowStart(): number {
    return this.#windowStart;
  }

  get watcherCount(): number {
    return this.#watchers.size;
  }

  find(itemKey: string): StoredObject | undefined {
    return this.#byItemKey.get(itemKey);
  }

  /** Fills an empty cache with the objects of one revision. */
  load(objects: Iterable<StoredObject>, revision: number): void {
    for (const object of objects) this.#set(object);
    this.#windowStart = revision;
    this.#shared = undefined;
  }

  /** The part of a storage key after the resource's prefix. */
  itemKey(key: string): string {
    return key.slice(this.#options.prefix.length);
  }

  snapshot(): Snapshot {
    this.#shared ??= this.#share();
    return { revision: this.revision, items: this.#shared };
  }

  get size(): number {
    return this.#items.size;
  }

  #share(): OrderedItems {
    const { size } = this.#items;
    const { prefix } = this.#options;
    const items = this.#items.clone();
    const shared = new OrderedItems(
      {
        size,
        get: (itemKey) => items.get(prefix + itemKey),
        all: () => items.valuesArray(),
        // The index has current objects only.
        withTrait: (trait, value) =>
          this.#shared === shared
            ? this.#traits.find(trait, value, () => shared.objects)
            : undefined,
      },
      prefix.length,
    );
    return shared;
  }

  #set(object: StoredObject): void {
    this.#items.set(object.key, object);
    this.#byItemKey.set(this.itemKey(object.key), object);
  }

  /** Applies changes in revision order and notifies the watchers. */
  apply(changes: readonly CacheChange[]): void {
    this.#shared = undefined;
    const events = changes.flatMap((change) => this.#applyOne(change) ?? []);
    this.#remember(events);
    this.#watchers.dispatch(events, this.#options.indexedValue, (key) => this.itemKey(key));
    for (const event of events) {
      event.previous?.retire();
      if (event.type === "DELETED") event.object.retire();
    }
  }

  /** Events after a revision that are still in memory. Only for revisions from windowStart on. */
  eventsAfter(revision: number): readonly CacheEvent[] {
    const from = this.#window.findIndex((event) => event.revision > revision);
    return from < 0 ? [] : this.#window.slice(from);
  }

  /** From now on the watcher gets every change in its scope. */
  subscribe(watcher: Watcher): Disposable {
    return this.#watchers.add(watcher);
  }

  #applyOne(change: CacheChange): CacheEvent | undefined {
    const itemKey = this.itemKey(change.key);
    const previous = this.#byItemKey.get(itemKey);
    this.#traits.change(previous, change.object);
    if (change.object) {
      this.#set(change.object);
      const type = previous ? "MODIFIED" : "ADDED";
      return { type, object: change.object, previous, revision: change.revision };
    }
    this.#items.delete(change.key);
    this.#byItemKey.delete(itemKey);
    const object = previous?.at(change.revision);
    return object && { type: "DELETED", object, previous, revision: change.revision };
  }

  /** Drops the oldest events once there are twice as many as the limit. */
  #remember(events: readonly CacheEvent[]): void {
    for (const event of events) {
      this.#window.push(event);
      this.#windowBytes += bytesOf(event);
    }
    if (this.#window.length < 2 * windowEvents && this.#windowBytes < 2 * windowBytes) return;
    let kept = 0;
    let sizeBytes = 0;
    while (kept < windowEvents && sizeBytes < windowBytes) {
      const event = this.#window.at(-++kept);
      sizeBytes += event ? bytesOf(event) : windowBytes;
    }
    this.#drop(this.#window.length - kept);
  }

  /** Drops events up to a revision, except the last few (count). */
  forgetUntil(revision: number, leastEvents: number): void {
    const first = this.#window.findIndex((event) => event.revision > revision);
    const old = first < 0 ? this.#window.length : first;
    this.#drop(Math.min(old, this.#window.length - leastEvents));
  }

  #drop(count: number): void {
    if (count <= 0) return;
    const dropped = this.#window.splice(0, count);
    for (const event of dropped) this.#windowBytes -= bytesOf(event);
    this.#windowStart = dropped.at(-1)?.revision ?? this.#windowStart;
  }
}

/** Maximum memory of an event: other events may share its objects. */
function bytesOf({ object, previous }: CacheEvent): number {
  return object.sizeBytes + (previous?.sizeBytes ?? 0);
}

/** A change as the feed delivers it: an object set, or one deleted. */
export interface CacheChange {
  readonly key: string;
  readonly revision: number;
  readonly object: StoredObject | undefined;
}

/** Watchers by scope, so that the few that a change concerns are found among thousands. */
class WatcherIndex {
  readonly #all = new Set<Watcher>();
  readonly #buckets = new Map<string, Set<Watcher>>();

  get size(): number {
    return this.#all.size;
  }

  add(watcher: Watcher): Disposable {
    const bucket = bucketOf(watcher.scope);
    const members = this.#buckets.get(bucket) ?? new Set();
    this.#buckets.set(bucket, members.add(watcher));
    this.#all.add(watcher);
    return {
      [Symbol.dispose]: () => {
        this.#all.delete(watcher);
        if (members.delete(watcher) && members.size === 0) this.#buckets.delete(bucket);
      },
    };
  }

  dispatch(
    events: readonly CacheEvent[],
    indexedValue: ((object: StoredObject) => string) | undefined,
    itemKey: (key: string) => string,
  ): void {
    if (this.#all.size === 0) return;
    const batches = new Map<Watcher, Delivery[]>();
    for (const event of events) {
      const delivery: Delivery = { event, frames: new Map() };
      for (const bucket of bucketsOf(event, indexedValue, itemKey)) {
        for (const watcher of this.#buckets.get(bucket) ?? []) {
          const batch = batches.get(watcher);
          if (batch) batch.push(delivery);
          else batches.set(watcher, [delivery]);
        }
      }
    }
    for (const [watcher, batch] of batches) watcher.deliver(batch);
  }
}

function bucketOf({ keyPrefix, indexed }: WatchScope): string {
  return indexed === undefined ? keyPrefix : `=${indexed}`;
}

/** All buckets that can have watchers of an event: everything, the namespace, the object, old and new index value. */
function bucketsOf(
  event: CacheEvent,
  indexedValue: ((object: StoredObject) => string) | undefined,
  itemKey: (key: string) => string,
): Set<string> {
  const key = itemKey(event.object.key);
  const buckets = new Set(["", key]);
  const slash = key.indexOf("/");
  if (slash >= 0) buckets.add(key.slice(0, slash + 1));
  if (indexedValue) {
    buckets.add(`=${indexedValue(event.object)}`);
    if (event.previous) buckets.add(`=${indexedValue(event.previous)}`);
  }
  return buckets;
}
