import { CompactedError, type WatchBatch, type WatchEvent } from "../base/storage.ts";
import { toEntry } from "./etcd-entry.ts";
import type { Event, KeyValue, WatchResponse } from "./etcd-services.ts";
import type { WrittenValues } from "./written-values.ts";

interface WatchAssemblyOptions {
  /** The last delivered revision. */
  readonly after: number;
  /** Events of other keys count for the revision but are not delivered. */
  readonly prefix: string;
  /** Whether a response without events is reliable progress. */
  readonly trustProgress: boolean;
  /** The previous value is not sent, and not needed. */
  readonly knowsPrevious: boolean;
  /** Values of own writes that may arrive. */
  readonly written: WrittenValues;
}

/**
 * Makes batches of etcd's watch responses: every event once, all events of one revision together.
 * etcd may split a large response into fragments, and may repeat events after a reconnection.
 */
export class WatchAssembly {
  readonly #prefix: string;
  readonly #trustProgress: boolean;
  readonly #knowsPrevious: boolean;
  readonly #written: WrittenValues;
  #position: number;
  /**
   * Events of a revision that may be incomplete. Invariant: empty unless the last response was a
   * fragment.
   */
  #held: Event[] = [];

  constructor(options: WatchAssemblyOptions) {
    this.#position = options.after;
    this.#prefix = options.prefix;
    this.#trustProgress = options.trustProgress;
    this.#knowsPrevious = options.knowsPrevious;
    this.#written = options.written;
  }

  /** Every event up to this revision is in a batch that was returned. */
  get position(): number {
    return this.#position;
  }

  /** The batch that the response completes. Not for responses with created or canceled. */
  accept({ events, fragment, header }: WatchResponse): WatchBatch | undefined {
    const fresh = events.filter((event) => eventRevision(event) > this.#position);
    const all = [...this.#held, ...fresh];
    const last = all.at(-1);
    if (last === undefined) {
      this.#held = [];
      if (fragment || events.length > 0) return undefined;
      const reached = this.#trustProgress ? (header?.revision ?? 0) : 0;
      this.#position = Math.max(this.#position, reached);
      return { events: [], revision: this.#position };
    }
    const revision = fragment ? eventRevision(last) - 1 : eventRevision(last);
    this.#held = all.filter((event) => eventRevision(event) > revision);
    if (revision <= this.#position) return undefined;
    this.#position = revision;
    const complete = all.filter((event) => eventRevision(event) <= revision);
    const matching = complete.filter(({ kv }) => kv?.key.startsWith(this.#prefix));
    return { events: matching.map((event) => this.#toEvent(event)), revision };
  }

  #toEvent({ type, kv, prevKv }: Event): WatchEvent {
    const { key, modRevision, createRevision, value } = kv as KeyValue;
    const previous = prevKv && toEntry(prevKv);
    const isFirst = type !== "DELETE" && createRevision === modRevision;
    // etcd looks up the previous value when it sends the event, and finds none if that has been
    // compacted.
    if (!previous && !isFirst && !this.#knowsPrevious) throw new CompactedError(modRevision);
    if (type === "DELETE") return { type: "delete", key, revision: modRevision, previous };
    const own = this.#written.take(key, value);
    return { type: "put", entry: { key, value: own, modRevision, createRevision }, previous };
  }
}

function eventRevision({ kv }: Event): number {
  return kv?.modRevision ?? 0;
}
