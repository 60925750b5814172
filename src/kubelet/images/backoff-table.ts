/** Upstream: k8s.io/client-go/util/flowcontrol/backoff.go. */
import type { Clock } from "#/std/time/clock.ts";

interface Entry {
  delayMs: number;
  updatedMs: number;
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

  /** The remaining delay, counted from an event; 0 or less when it is over. */
  remainingMs(key: string, sinceMs: number): number {
    const entry = this.#entries.get(key);
    if (!entry || this.#isOld(entry, sinceMs)) return 0;
    return entry.delayMs - (this.#clock.now() - sinceMs);
  }

  /** The remaining delay, counted from its last increase. */
  remainingSinceUpdateMs(key: string): number {
    const entry = this.#entries.get(key);
    if (!entry || this.#isOld(entry, this.#clock.now())) return 0;
    return entry.delayMs - (this.#clock.now() - entry.updatedMs);
  }

  /** Increases the delay because of an event at this time. */
  next(key: string, eventMs: number): void {
    const entry = this.#entries.get(key);
    const delayMs =
      !entry || this.#isOld(entry, eventMs)
        ? this.#initialMs
        : Math.min(entry.delayMs * 2, this.#maxMs);
    this.#entries.set(key, { delayMs, updatedMs: this.#clock.now() });
  }

  /** Drops entries without a recent failure. */
  collect(): void {
    const now = this.#clock.now();
    for (const [key, entry] of this.#entries)
      if (this.#isOld(entry, now)) this.#entries.delete(key);
  }

  #isOld({ updatedMs }: Entry, eventMs: number): boolean {
    return eventMs - updatedMs > 2 * this.#maxMs;
  }
}
