import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { StorageError, WatchBatch, WatchEvent, WatchOptions } from "./storage.ts";
import { eventKey, eventRevision } from "./watch-event.ts";

/**
 * Reads history: events of keys with a prefix, after a revision, in order, limited to a batch. The
 * batch's revision is how far it reaches. Throws CompactedError if that history is compacted.
 */
type ReadHistory = (prefix: string, after: number) => MaybePromise<WatchBatch>;

/**
 * Limit of undelivered events of a watch; above it they are dropped and read from history later.
 */
const maxPendingEvents = 10_000;

/**
 * One watch. It is either *replaying*, reading history from `position`, or *live*, receiving events
 * as they are published. It becomes live at the end of history, and falls back to replaying when
 * its reader is too slow.
 */
interface Watcher {
  readonly prefix: string;
  live: boolean;
  /** Every event up to here has been yielded. */
  position: number;
  /** Invariant: empty unless live. */
  pending: WatchEvent[];
  progressWanted: boolean;
  /** Wakes the reader; undefined while it is busy. */
  wake: (() => void) | undefined;
}

/** Delivers the events of one store to its watches, each at the pace of its reader. */
export class WatchHub {
  #revision: number;
  #failure: StorageError | undefined;
  readonly #readHistory: ReadHistory;
  readonly #watchers = new Set<Watcher>();

  constructor(revision: number, readHistory: ReadHistory) {
    this.#revision = revision;
    this.#readHistory = readHistory;
  }

  /** Publishes durable events. They must be in revision order and follow the earlier ones. */
  publish(events: readonly WatchEvent[], revision: number): void {
    this.#revision = revision;
    for (const watcher of this.#watchers) {
      if (!watcher.live) continue;
      for (const event of events) {
        if (eventKey(event).startsWith(watcher.prefix) && eventRevision(event) > watcher.position) {
          watcher.pending.push(event);
        }
      }
      if (watcher.pending.length > maxPendingEvents) {
        watcher.live = false;
        watcher.pending = [];
      }
      if (watcher.pending.length > 0) watcher.wake?.();
    }
  }

  /** Makes every watch yield a batch that reaches the newest revision. */
  requestProgress(): void {
    for (const watcher of this.#watchers) {
      watcher.progressWanted = true;
      watcher.wake?.();
    }
  }

  /** Ends every current and future watch with an error. */
  fail(error: StorageError): void {
    this.#failure ??= error;
    for (const watcher of this.#watchers) watcher.wake?.();
  }

  async *watch(prefix: string, { after, signal }: WatchOptions): AsyncGenerator<WatchBatch> {
    const watcher: Watcher = {
      prefix,
      live: false,
      position: after,
      pending: [],
      progressWanted: false,
      wake: undefined,
    };
    const leave = (): void => {
      this.#watchers.delete(watcher);
      watcher.wake?.();
    };
    if (signal.aborted) return;
    signal.addEventListener("abort", leave);
    this.#watchers.add(watcher);
    try {
      while (!signal.aborted) {
        if (this.#failure) throw this.#failure;
        const batch = watcher.live ? await this.#nextLive(watcher) : await this.#replay(watcher);
        if (signal.aborted) return;
        if (batch) yield batch;
      }
    } finally {
      signal.removeEventListener("abort", leave);
      leave();
    }
  }

  async #replay(watcher: Watcher): Promise<WatchBatch | undefined> {
    const batch = await this.#readHistory(watcher.prefix, watcher.position);
    watcher.position = Math.max(watcher.position, batch.revision);
    watcher.live = watcher.position >= this.#revision;
    return batch.events.length > 0 ? batch : undefined;
  }

  async #nextLive(watcher: Watcher): Promise<WatchBatch | undefined> {
    if (watcher.pending.length === 0 && !watcher.progressWanted) {
      await new Promise<void>((resolve) => {
        watcher.wake = resolve;
      });
      watcher.wake = undefined;
    }
    const events = watcher.pending;
    if (!watcher.live || (events.length === 0 && !watcher.progressWanted)) return undefined;
    watcher.pending = [];
    watcher.progressWanted = false;
    watcher.position = Math.max(watcher.position, this.#revision);
    return { events, revision: this.#revision };
  }
}
