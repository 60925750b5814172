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

/** All objects of one resource at one revision, in key order. Never changes. */
export interface Snapshot {
  readonly revision: number;
  readonly items: OrderedItems;
}

/** Which changes a watcher can be interested in at all; used to find the watchers of a change quickly. */
export interface WatchScope {
  /** Part of the key that must match: "ns/" for a namespace, "ns/name" for one object, "" for all. */
  readonly keyPrefix: string;
  /** Value of the indexed field that the watcher insists on. */
  readonly indexed?: string | undefined;
}

/** An event on its way to watchers, with the frames made for it so far, which later watchers reuse. */
export interface Delivery {
  readonly event: CacheEvent;
  /** Encoded frames by type and form; gone with the delivery, so that history costs no memory. */
  readonly frames: Map<string, Uint8Array>;
}

/** Someone who is told of changes. Called in revision order, once per batch. */
interface Watcher {
  readonly scope: WatchScope;
  deliver(deliveries: readonly Delivery[]): void;
}

interface WatchCacheOptions {
  /** How far the feed has come: everything up to this revision is in every cache. */
  readonly progress: { readonly revision: number };
  /** The part of the key that all objects share, slash included. */
  readonly prefix: string;
  /** Value of the resource's indexed field. */
  readonly indexedValue?: ((object: StoredObject) => string) | undefined;
}

/** How many recent events a resource keeps for watchers that resume; older ones are read from the store. */
const windowEvents = 4096;
/** How many bytes their objects may have in all. */
const windowBytes = 8 * 1024 * 1024;

/**
 * The current objects of one resource, kept up to date by the feed. Reading takes a snapshot, which is a pointer;
 * writing copies what snapshots share.
 */
export class WatchCache {
  /** In order, by storage key: comparing parts of them would cost much more. */
  readonly #items = new BTree.default<string, StoredObject>(undefined, simpleComparator);
  /** The same objects by item key. */
  readonly #byItemKey = new Map<string, StoredObject>();
  /** The items as the last snapshot shared them; undefined once they have changed. */
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

  /** Watches after this revision or later can be served from memory. */
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

  /** The part of a storage key that tells this resource's objects apart. */
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
        // The index knows of the present only.
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

  /** Takes in changes in revision order and tells the watchers. */
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

  /** From now on the watcher is told of every change in its scope. */
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

  /** Drops the oldest once there is twice as much as is to be kept. */
  #remember(events: readonly CacheEvent[]): void {
    for (const event of events) {
      this.#window.push(event);
      this.#windowBytes += bytesOf(event);
    }
    if (this.#window.length < 2 * windowEvents && this.#windowBytes < 2 * windowBytes) return;
    let kept = 0;
    this.#windowBytes = 0;
    while (kept < windowEvents && this.#windowBytes < windowBytes) {
      const event = this.#window.at(-++kept);
      this.#windowBytes += event ? bytesOf(event) : windowBytes;
    }
    const dropped = this.#window.splice(0, Math.max(0, this.#window.length - kept));
    this.#windowStart = dropped.at(-1)?.revision ?? this.#windowStart;
  }
}

/** What an event keeps in memory at most: its objects may be those of other events, too. */
function bytesOf({ object, previous }: CacheEvent): number {
  return object.sizeBytes + (previous?.sizeBytes ?? 0);
}

/** A change as the feed hands it over: an object set, or one deleted. */
export interface CacheChange {
  readonly key: string;
  readonly revision: number;
  readonly object: StoredObject | undefined;
}

/** Watchers by what they can be interested in, so that a change finds its few among thousands. */
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

/** Every bucket that can hold watchers of an event: everything, the namespace, the object, old and new index value. */
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
