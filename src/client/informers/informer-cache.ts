import { logger } from "#/std/log/log.ts";
import { keyOf, metaOf } from "../object-key.ts";
import { compareVersions, newerVersion } from "../resource-version.ts";
import type { WatchEvent } from "../transport/transport.ts";
import { IndexedStore, type IndexFunction } from "./object-store.ts";

/** Who wants to know what changes. Called after the store has changed, in order; must not take long, and not wait. */
export interface ObjectHandler<T> {
  /** Initial: it was there before. */
  added?(object: T, initial: boolean): void;
  /** Where an object was replaced by another of the same name, their uids differ. */
  updated?(old: T, now: T): void;
  deleted?(last: T): void;
}

export interface InformerCacheOptions<T> {
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
  readonly transform?: ((object: T) => T) | undefined;
}

const log = logger("informer");
/** Objects that were deleted through this process and of which the watch hasn't told yet; far more than ever are. */
const maxBuried = 100_000;

/**
 * What an informer knows: the store, and who is told of changes. It never goes back: of an object, only a newer version
 * counts, whether it comes from the watch or from a write of this process, whose answer may be here before the watch's
 * event.
 */
export class InformerCache<T> {
  readonly store: IndexedStore<T>;
  readonly #transform: (object: T) => T;
  readonly #handlers = new Set<ObjectHandler<T>>();
  /** All that happened up to here has been seen. */
  #version = "";
  /** By uid: gone for sure, whatever the watch may still tell of the time before. */
  readonly #buried = new Set<string>();
  /** By key: written by this process, and not yet seen by the watch. */
  readonly #ahead = new Set<string>();
  #filled = false;

  constructor({ indexes, transform }: InformerCacheOptions<T>) {
    this.store = new IndexedStore<T>(indexes);
    this.#transform = transform ?? ((object) => object);
  }

  /** The newest version that was seen. */
  get version(): string {
    return this.#version;
  }

  subscribe(handler: ObjectHandler<T>): Disposable {
    this.#handlers.add(handler);
    for (const object of this.store.list()) tell(() => handler.added?.(object, true));
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  /** All objects there are; what isn't among them is gone. */
  replace(objects: Iterable<T>, version: string): void {
    const initial = !this.#filled;
    // The server's store was put back to an earlier state: nothing that was known counts any more.
    if (compareVersions(version, this.#version) < 0) this.#ahead.clear();
    const missing = new Set(this.store.list().map(keyOf));
    const notices: ((handler: ObjectHandler<T>) => void)[] = [];
    for (const object of objects) {
      missing.delete(keyOf(object));
      const notice = this.#put(object, initial, version);
      if (notice) notices.push(notice);
    }
    for (const key of missing) {
      if (this.#isAhead(key, version)) continue;
      const last = this.store.delete(key);
      if (last !== undefined) notices.push((handler) => handler.deleted?.(last));
    }
    this.#buried.clear();
    this.#filled = true;
    this.#version = version;
    for (const notice of notices) this.#tellAll(notice);
  }

  /** One event of the watch. */
  change({ type, object }: WatchEvent<T>): void {
    this.#version = newerVersion(this.#version, versionOf(object));
    if (type === "BOOKMARK") return;
    const { uid = "" } = metaOf(object);
    const key = keyOf(object);
    if (!this.#isAhead(key, versionOf(object))) this.#ahead.delete(key);
    if (type === "DELETED") {
      this.#buried.delete(uid);
      if (!this.#ahead.has(key)) this.#remove(key);
      return;
    }
    if (this.#buried.has(uid)) return;
    const notice = this.#put(object, false);
    if (notice) this.#tellAll(notice);
  }

  /** What a write of this process has made of an object, if the watch hasn't told that or more already. */
  written(object: T): void {
    if (!this.#filled || compareVersions(versionOf(object), this.#version) <= 0) return;
    this.#ahead.add(keyOf(object));
    const notice = this.#put(object, false);
    if (notice) this.#tellAll(notice);
  }

  /** An object that this process has deleted, and that isn't there any more. */
  deleted(key: string, uid: string): void {
    const held = this.store.getByKey(key);
    if (held === undefined ? !this.#filled : metaOf(held).uid !== uid) return;
    if (this.#buried.size < maxBuried) this.#buried.add(uid);
    this.#ahead.delete(key);
    this.#remove(key);
  }

  /** Whether what is held of an object was written by this process after a version. */
  #isAhead(key: string, version: string): boolean {
    if (!this.#ahead.has(key)) return false;
    return compareVersions(versionOf(this.store.getByKey(key)), version) > 0;
  }

  /** Keeps an object unless a newer version of it is there. */
  #put(
    given: T,
    initial: boolean,
    listedAt?: string,
  ): ((handler: ObjectHandler<T>) => void) | undefined {
    const held = this.store.getByKey(keyOf(given));
    if (held !== undefined) {
      const order = compareVersions(versionOf(held), versionOf(given));
      // A list counts whatever it says, except of what was written after it.
      const later = listedAt === undefined || this.#isAhead(keyOf(given), listedAt);
      if (order === 0 || (order > 0 && later)) return undefined;
    }
    const object = this.#transform(given);
    const old = this.store.set(object);
    if (old === undefined) return (handler) => handler.added?.(object, initial);
    return (handler) => handler.updated?.(old, object);
  }

  #remove(key: string): void {
    const last = this.store.delete(key);
    if (last !== undefined) this.#tellAll((handler) => handler.deleted?.(last));
  }

  #tellAll(notice: (handler: ObjectHandler<T>) => void): void {
    for (const handler of this.#handlers) tell(() => notice(handler));
  }
}

/** A handler that throws is a bug, but not one of the others, nor of the informer. */
function tell(call: () => void): void {
  try {
    call();
  } catch (error) {
    log.error(error, "event handler failed");
  }
}

function versionOf(object: unknown): string {
  return metaOf(object).resourceVersion ?? "";
}
