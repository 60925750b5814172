/** Upstream: k8s.io/client-go/util/flowcontrol/backoff.go. */
import type { Clock } from "#/std/time/clock.ts";

interface Entry {
  delayMs: number;
  updatedMs: number;
}

/** Delays by key that double with each failure up to a cap, and start again from the first when nothing failed for twice the cap. */
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

  /** The delay that is in force; 0 if there is none. */
  delayMs(key: string): number {
    return this.#entries.get(key)?.delayMs ?? 0;
  }

  /** How much of the delay is left, counted from an event; 0 or less when it is over. */
  remainingMs(key: string, sinceMs: number): number {
    const entry = this.#entries.get(key);
    if (!entry || this.#isOld(entry, sinceMs)) return 0;
    return entry.delayMs - (this.#clock.now() - sinceMs);
  }

  /** How much of the delay is left, counted from when it was last raised. */
  remainingSinceUpdateMs(key: string): number {
    const entry = this.#entries.get(key);
    if (!entry || this.#isOld(entry, this.#clock.now())) return 0;
    return entry.delayMs - (this.#clock.now() - entry.updatedMs);
  }

  /** Raises the delay because of an event that happened then. */
  next(key: string, eventMs: number): void {
    const entry = this.#entries.get(key);
    const delayMs =
      !entry || this.#isOld(entry, eventMs)
        ? this.#initialMs
        : Math.min(entry.delayMs * 2, this.#maxMs);
    this.#entries.set(key, { delayMs, updatedMs: this.#clock.now() });
  }

  /** Forgets what has not failed for long. */
  collect(): void {
    const now = this.#clock.now();
    for (const [key, entry] of this.#entries)
      if (this.#isOld(entry, now)) this.#entries.delete(key);
  }

  #isOld({ updatedMs }: Entry, eventMs: number): boolean {
    return eventMs - updatedMs > 2 * this.#maxMs;
  }
}
