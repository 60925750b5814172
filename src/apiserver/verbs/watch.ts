import { resourceExpired, statusWithoutReason } from "#/machinery/meta/status-error.ts";
import { type Clock, nextTurn } from "#/std/time/clock.ts";
import { CompactedError } from "#/storage/base/storage.ts";
import type { WatchTarget } from "../registry/result.ts";
import type { Store } from "../registry/store.ts";
import { StoredObject } from "../registry/stored-object.ts";
import type { CacheEvent, Delivery } from "../registry/watch-cache.ts";
import { findRevision, noRevision, prepareSelection, reach } from "./list.ts";
import type { ListOptions } from "./options.ts";
import type { Selection } from "./selection.ts";
import { selectEvent } from "./watch-event.ts";

interface WatchRequest {
  readonly store: Store;
  readonly selection: Selection;
  readonly options: ListOptions;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Objects of an initial list that are sent before other work gets its turn and the client must have caught up. */
const objectsPerTurn = 200;
/** Limit of changes during a client's initial list (count); a slower client is disconnected. */
const maxHeldChanges = 100_000;

/** Interval of bookmarks. */
const bookmarkIntervalMs = 60_000;

/**
 * Sends the selected changes to the target until the signal aborts. Waits for the requirements of the request (404, 504
 * and the like are thrown) before the first event. Upstream: staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go.
 */
export async function openWatch(
  request: WatchRequest,
): Promise<(target: WatchTarget) => Promise<void>> {
  const { store, options } = request;
  const revision = findRevision(options.resourceVersion);
  if (revision === undefined) throw statusWithoutReason(noRevision(options.resourceVersion));
  if (options.sendInitialEvents) {
    if (options.resourceVersion === "") await store.freshen();
    else await reach(store, revision);
    return (target) => watchFromList(request, target);
  }
  return (target) => watchAfter(request, revision, target);
}

/** All current objects as ADDED events, then every change. */
async function watchFromList(request: WatchRequest, target: WatchTarget): Promise<void> {
  const { selection, options, store } = request;
  const snapshot = store.cache.snapshot();
  const { items, revision } = snapshot;
  const frames = new Map<string, Uint8Array>();
  const waiting = new Backlog(request, target, revision);
  using _subscription = store.cache.subscribe(waiting);
  const { itemKey, scope, matches } = selection;
  if (selection.prepare) await prepareSelection(snapshot, selection);
  const { start, end } = items.span(scope.keyPrefix);
  for (let index = start; index < end && !request.signal.aborted; index++) {
    const object = items.objects[index];
    if (!object || (itemKey !== undefined && items.keyOf(object) !== itemKey)) continue;
    frames.clear();
    if (!matches || matches(object)) target.event({ type: "ADDED", object }, frames);
    if ((index - start) % objectsPerTurn !== objectsPerTurn - 1) continue;
    target.flush();
    await target.drained();
    await nextTurn();
  }
  if (options.allowWatchBookmarks) target.bookmark(revision, true);
  target.flush();
  waiting.open();
  await Promise.race([untilEnd(request, target), waiting.failure]);
}

/** Every change after a revision, from memory or, for older ones, from the store's history. */
async function watchAfter(
  request: WatchRequest,
  revision: number,
  target: WatchTarget,
): Promise<void> {
  const { store } = request;
  const { cache } = store;
  const waiting = new Backlog(request, target, revision);
  using _subscription = cache.subscribe(waiting);
  if (revision === 0 || revision >= cache.windowStart) {
    if (revision > 0) await waiting.replay(cache.eventsAfter(revision));
  } else {
    try {
      await replayHistory(request, revision, waiting);
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
      const detail = `too old resource version: ${revision} (${error.compactRevision})`;
      target.error(resourceExpired(detail));
      target.flush();
      return;
    }
  }
  target.flush();
  waiting.open();
  await Promise.race([untilEnd(request, target), waiting.failure]);
}

/** Sends changes of the store's history, up to the revision of the cache. */
async function replayHistory(
  { store, signal }: WatchRequest,
  after: number,
  backlog: Backlog,
): Promise<void> {
  const until = store.cache.revision;
  for await (const batch of store.storage.watch(store.prefix, { after, signal })) {
    const events = batch.events.flatMap((event): CacheEvent[] => {
      const previous = event.previous && new StoredObject(event.previous, store.codec);
      if (event.type === "put") {
        const object = new StoredObject(event.entry, store.codec);
        const { revision } = object;
        return [{ type: previous ? "MODIFIED" : "ADDED", object, previous, revision }];
      }
      if (!previous) return [];
      const { revision } = event;
      return [{ type: "DELETED", object: previous.at(revision), previous, revision }];
    });
    await backlog.replay(events.filter((event) => event.revision <= until));
    if (batch.revision >= until) return;
  }
}

/**
 * Holds changes back until past events have been sent, then forwards them, without those that the client has seen. If
 * selectors read converted objects, batches wait for their conversion, in order.
 */
class Backlog {
  readonly scope: Selection["scope"];
  readonly #request: WatchRequest;
  readonly #target: WatchTarget;
  #held: Delivery[] | undefined = [];
  readonly #after: number;
  readonly #failed = Promise.withResolvers<never>();
  #last: Promise<void> = Promise.resolve();

  constructor(request: WatchRequest, target: WatchTarget, after: number) {
    this.scope = request.selection.scope;
    this.#request = request;
    this.#target = target;
    this.#after = after;
    this.#failed.promise.catch(() => undefined);
  }

  /** Rejects if a change can't be converted, which ends the watch. */
  get failure(): Promise<never> {
    return this.#failed.promise;
  }

  deliver(deliveries: readonly Delivery[]): void {
    if (this.#held) {
      for (const delivery of deliveries) this.#held.push(delivery);
      if (this.#held.length > maxHeldChanges) {
        this.#held = [];
        this.#failed.reject(new Error("the watcher is too slow"));
      }
      return;
    }
    if (!this.#request.selection.prepare) {
      this.#pass(deliveries);
      return;
    }
    this.#last = this.#last
      .then(() => this.#prepare(deliveries.map(({ event }) => event)))
      .then(() => this.#pass(deliveries));
    this.#last.catch(this.#failed.reject);
  }

  #pass(deliveries: readonly Delivery[]): void {
    for (const { event, frames } of deliveries) this.#send(event, frames);
    this.#target.flush();
  }

  /** Past events, to be sent in order and before open(). */
  async replay(events: readonly CacheEvent[]): Promise<void> {
    if (this.#request.selection.prepare) await this.#prepare(events);
    for (const event of events) this.#send(event, new Map());
  }

  open(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    if (held.length > 0) this.deliver(held);
  }

  async #prepare(events: readonly CacheEvent[]): Promise<void> {
    const objects = events.flatMap(({ object, previous }) =>
      previous ? [object, previous] : [object],
    );
    await this.#request.selection.prepare?.(objects.map((object) => object.parsed()));
  }

  #send(event: CacheEvent, frames: Map<string, Uint8Array>): void {
    if (event.revision <= this.#after || this.#request.signal.aborted) return;
    const { scope, matches } = this.#request.selection;
    if (!inScope(event, this.#request.store, scope.keyPrefix)) return;
    const selected = selectEvent(event, matches);
    if (!selected) return;
    this.#request.store.eventsSent++;
    this.#target.event(selected, frames);
  }
}

function inScope(event: CacheEvent, store: Store, keyPrefix: string): boolean {
  return keyPrefix === "" || event.object.key.startsWith(keyPrefix, store.prefix.length);
}

/** Sends bookmarks until the watch ends. */
async function untilEnd(
  { clock, options, signal, store }: WatchRequest,
  target: WatchTarget,
): Promise<void> {
  if (signal.aborted) return;
  const bookmarks = options.allowWatchBookmarks
    ? clock.every(bookmarkIntervalMs, () => {
        target.bookmark(store.cache.revision, false);
        target.flush();
      })
    : undefined;
  const ended = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => ended.resolve(), { once: true });
  using _closing = store.onClose(ended.resolve);
  await ended.promise;
  bookmarks?.cancel();
}
