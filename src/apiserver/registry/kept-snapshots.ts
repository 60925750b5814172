import type { Clock, Timer } from "#/std/time/clock.ts";
import type { Snapshot } from "./watch-cache.ts";

/** Limit of snapshots kept for paginated lists (count); other pages are read from the store's history. */
const mostKept = 16;
/** Limit of the time between the pages of a list (ms): later ones get 410, as after upstream's compaction. */
const keptMs = 5 * 60_000;

/**
 * Snapshots of one resource for the next pages of lists: the last used ones, for a time. Each keeps its objects alive.
 */
export class KeptSnapshots implements Disposable {
  readonly #clock: Clock;
  /** By revision; the last used one is at the end. */
  readonly #kept = new Map<number, { readonly snapshot: Snapshot; readonly since: number }>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Keeps a snapshot until newer ones replace it or it expires. */
  keep(snapshot: Snapshot): void {
    const { revision } = snapshot;
    const since = this.#kept.get(revision)?.since ?? this.#clock.monotonicMs();
    this.#kept.delete(revision);
    this.#kept.set(revision, { snapshot, since });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
    this.#timer ??= this.#expireLater();
  }

  find(revision: number): Snapshot | undefined {
    return this.#kept.get(revision)?.snapshot;
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#kept.clear();
  }

  #expireLater(): Timer {
    const first = Math.min(...this.#kept.values().map(({ since }) => since));
    const delayMs = first + keptMs - this.#clock.monotonicMs();
    return this.#clock.setTimer(delayMs, () => this.#expire(), { keepAlive: false });
  }

  #expire(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [revision, { since }] of this.#kept) {
      if (since + keptMs <= nowMs) this.#kept.delete(revision);
    }
    this.#timer = this.#kept.size > 0 ? this.#expireLater() : undefined;
  }
}
