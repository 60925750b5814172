/** Upstream: k8s.io/client-go/util/flowcontrol/backoff.go. */
import type { Clock } from "#/std/time/clock.ts";

interface Entry {
  readonly delayMs: number;
  /** The last failure: its time on the wall clock, which events have, and on the one that is never set. */
  readonly updatedMs: number;
  readonly updatedMonotonicMs: number;
  readonly reason: string;
}

/** Delays by key that double with each failure up to a cap, and are reset after twice the cap without a failure. */
export class BackoffTable {
  readonly #entries = new Map<string, Entry>();
  readonly #initialMs: number;
  readonly #maxMs: number;
  readonly #clock: Clock;

  constructor(options: { initialMs: number; maxMs: number; clock: Clock }) {
    this.#initialMs = options.initialMs;
    this.#maxMs = options.maxMs;
    this.#clock = options.clock;
  }

  /** The current delay; 0 if there is none. */
  delayMs(key: string): number {
    return this.#entries.get(key)?.delayMs ?? 0;
  }

  /** The reason of the last failure, if it was given. */
  reason(key: string): string {
    return this.#entries.get(key)?.reason ?? "";
  }

  /** The remaining delay, counted from an event; 0 or less when it is over. */
  remainingMs(key: string, sinceMs: number): number {
    const entry = this.#entries.get(key);
    if (!entry || this.#isOld(entry, sinceMs)) return 0;
    return entry.delayMs - (this.#clock.now() - sinceMs);
  }

  /** The remaining delay, counted from its last increase. */
  remainingSinceUpdateMs(key: string): number {
    const entry = this.#entries.get(key);
    if (!entry || this.#isForgotten(entry)) return 0;
    return entry.delayMs - (this.#clock.monotonicMs() - entry.updatedMonotonicMs);
  }

  /** Increases the delay because of an event at this time. */
  next(key: string, eventMs: number, reason = ""): void {
    const entry = this.#entries.get(key);
    const delayMs =
      !entry || this.#isOld(entry, eventMs)
        ? this.#initialMs
        : Math.min(entry.delayMs * 2, this.#maxMs);
    const updatedMonotonicMs = this.#clock.monotonicMs();
    this.#entries.set(key, { delayMs, reason, updatedMs: this.#clock.now(), updatedMonotonicMs });
  }

  /** Drops entries without a recent failure. */
  collect(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#isForgotten(entry)) this.#entries.delete(key);
    }
  }

  #isForgotten({ updatedMonotonicMs }: Entry): boolean {
    return this.#clock.monotonicMs() - updatedMonotonicMs > 2 * this.#maxMs;
  }

  #isOld({ updatedMs }: Entry, eventMs: number): boolean {
    return eventMs - updatedMs > 2 * this.#maxMs;
  }
}
