import { runInSlices } from "#/std/async/slices.ts";
import { type MaybePromise, whenSettled } from "#/std/base/maybe-promise.ts";
import { logger } from "#/std/log/log.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { keyOf, metaOf } from "../object-key.ts";
import { compareVersions, newerVersion } from "../resource-version.ts";
import type { WatchEvent } from "../transport/transport.ts";
import { IndexedStore, type IndexFunction } from "./object-store.ts";

/**
 * Receives changes. Called after the store has changed, in order; must be fast and synchronous. Many changes at once are
 * delivered in slices, so the store may be ahead.
 */
export interface ObjectHandler<T> {
  /** Initial: the object existed before the subscription. */
  added?(object: T, initial: boolean): void;
  /** If an object was replaced by another of the same name, their uids differ. */
  updated?(old: T, now: T): void;
  deleted?(last: T): void;
}

interface InformerCacheOptions<T> {
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
  readonly transform?: ((object: T) => T) | undefined;
}

/** A change, and the handlers that were subscribed when it happened. */
interface Notice<T> {
  readonly handlers: readonly ObjectHandler<T>[];
  readonly notify: (handler: ObjectHandler<T>) => void;
}

const log = logger("informer");
/**
 * Limit of objects deleted by this process whose watch event has not arrived; far above any real
 * number.
 */
const maxDeletedUids = 100_000;

/**
 * The state of an informer: the store and its subscribers. An object's version never decreases,
 * whether it arrives by the watch or as the response to a write of this process, which may arrive
 * before the watch's event.
 */
export class InformerCache<T> {
  readonly store: IndexedStore<T>;
  readonly #clock: Clock;
  readonly #transform: (object: T) => T;
  readonly #handlers = new Set<ObjectHandler<T>>();
  /** Notices that are delivered in slices, in order; later ones wait behind them. */
  #waiting: Notice<T>[] = [];
  /** Resolves when they are delivered; undefined if that is done at once. */
  #delivery: MaybePromise<void> = undefined;
  /** The cache is complete up to this resource version. */
  #version = "";
  /** Uids of deleted objects: later watch events of older versions are ignored. */
  readonly #deletedUids = new Set<string>();
  /** Keys of objects written by this process whose watch event has not arrived. */
  readonly #unseenWrites = new Set<string>();
  #filled = false;

  constructor({ indexes, transform }: InformerCacheOptions<T>, clock: Clock = systemClock) {
    this.store = new IndexedStore<T>(indexes);
    this.#clock = clock;
    this.#transform = transform ?? ((object) => object);
  }

  /** The newest resource version seen. */
  get version(): string {
    return this.#version;
  }

  subscribe(handler: ObjectHandler<T>): Disposable {
    this.#handlers.add(handler);
    const handlers = [handler];
    // Those of a store that is being filled are delivered when it is.
    const existing = this.#filled ? this.store.list() : [];
    const notices = existing.map((object) => {
      return { handlers, notify: (one: ObjectHandler<T>) => one.added?.(object, true) };
    });
    void this.#deliver(notices);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  /**
   * Replaces the whole content: other objects are deleted. Done at once if there are few objects; otherwise in slices,
   * and the promise resolves when all handlers have been called.
   */
  replace(objects: Iterable<T>, version: string): MaybePromise<void> {
    const notices: Notice<T>["notify"][] = [];
    // Nothing reads a store that was never filled; later its changes are made at once.
    const filling = this.#fill(objects, version, notices);
    const deliver = (): MaybePromise<void> => {
      const handlers = [...this.#handlers];
      return this.#deliver(notices.map((notify) => ({ handlers, notify })));
    };
    if (this.#filled) {
      while (!filling.next().done);
      return deliver();
    }
    return whenSettled(runInSlices(filling, this.#clock), deliver);
  }

  *#fill(
    objects: Iterable<T>,
    version: string,
    notices: Notice<T>["notify"][],
  ): Generator<undefined, void> {
    const initial = !this.#filled;
    // The server was restored to an earlier state: all cached versions are invalid.
    if (compareVersions(version, this.#version) < 0) this.#unseenWrites.clear();
    const missing = new Set(this.store.list().map(keyOf));
    for (const object of objects) {
      missing.delete(keyOf(object));
      const notice = this.#put(object, initial, version);
      if (notice) notices.push(notice);
      yield;
    }
    for (const key of missing) {
      if (this.#isUnseenWrite(key, version)) continue;
      const last = this.store.delete(key);
      if (last !== undefined) notices.push((handler) => handler.deleted?.(last));
    }
    this.#deletedUids.clear();
    this.#filled = true;
    this.#version = version;
  }

  /** Applies one watch event. */
  change({ type, object }: WatchEvent<T>): void {
    this.#version = newerVersion(this.#version, versionOf(object));
    if (type === "BOOKMARK") return;
    const { uid = "" } = metaOf(object);
    const key = keyOf(object);
    if (!this.#isUnseenWrite(key, versionOf(object))) this.#unseenWrites.delete(key);
    if (type === "DELETED") {
      this.#deletedUids.delete(uid);
      if (!this.#unseenWrites.has(key)) this.#remove(key);
      return;
    }
    if (this.#deletedUids.has(uid)) return;
    const notice = this.#put(object, false);
    if (notice) this.#notifyAll(notice);
  }

  /**
   * Applies the response to a write of this process, unless the watch has this version or a newer
   * one.
   */
  written(object: T): void {
    if (!this.#filled || compareVersions(versionOf(object), this.#version) <= 0) return;
    this.#unseenWrites.add(keyOf(object));
    const notice = this.#put(object, false);
    if (notice) this.#notifyAll(notice);
  }

  /** Applies a deletion by this process that is complete. */
  deleted(key: string, uid: string): void {
    const held = this.store.getByKey(key);
    if (!this.#filled || (held !== undefined && metaOf(held).uid !== uid)) return;
    if (this.#deletedUids.size < maxDeletedUids) this.#deletedUids.add(uid);
    this.#unseenWrites.delete(key);
    this.#remove(key);
  }

  /** Whether this process wrote the cached object after a version. */
  #isUnseenWrite(key: string, version: string): boolean {
    if (!this.#unseenWrites.has(key)) return false;
    return compareVersions(versionOf(this.store.getByKey(key)), version) > 0;
  }

  /** Stores an object unless a newer version of it is stored. */
  #put(
    given: T,
    initial: boolean,
    listedAt?: string,
  ): ((handler: ObjectHandler<T>) => void) | undefined {
    const held = this.store.getByKey(keyOf(given));
    if (held !== undefined) {
      const order = compareVersions(versionOf(held), versionOf(given));
      // A listed object always replaces the stored one, unless that was written after the list.
      const later = listedAt === undefined || this.#isUnseenWrite(keyOf(given), listedAt);
      if (order === 0 || (order > 0 && later)) return undefined;
    }
    const object = this.#transform(given);
    const old = this.store.set(object);
    if (old === undefined) return (handler) => handler.added?.(object, initial);
    return (handler) => handler.updated?.(old, object);
  }

  #remove(key: string): void {
    const last = this.store.delete(key);
    if (last !== undefined) this.#notifyAll((handler) => handler.deleted?.(last));
  }

  #notifyAll(notify: Notice<T>["notify"]): void {
    if (this.#waiting.length > 0) this.#waiting.push({ handlers: [...this.#handlers], notify });
    else for (const handler of this.#handlers) callHandler(() => notify(handler));
  }

  /** Calls the handlers in order: at once if that takes little time, and otherwise in slices. */
  #deliver(notices: readonly Notice<T>[]): MaybePromise<void> {
    if (this.#waiting.length > 0) {
      for (const notice of notices) this.#waiting.push(notice);
      return this.#delivery;
    }
    this.#waiting = [...notices];
    this.#delivery = runInSlices(this.#calls(), this.#clock);
    return this.#delivery;
  }

  *#calls(): Generator<undefined, void> {
    // The list grows while it is read.
    for (const { handlers, notify } of this.#waiting) {
      for (const handler of handlers) {
        if (this.#handlers.has(handler)) callHandler(() => notify(handler));
      }
      yield;
    }
    this.#waiting = [];
  }
}

/**
 * Calls a handler. Its exception is a bug, but must not stop the other handlers or the informer.
 */
function callHandler(call: () => void): void {
  try {
    call();
  } catch (error) {
    log.error(error, "failed to call event handler");
  }
}

function versionOf(object: unknown): string {
  return metaOf(object).resourceVersion ?? "";
}
