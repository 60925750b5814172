import type { Clock } from "#/std/time/clock.ts";

interface Entry<T> {
  readonly value: T;
  readonly until: number;
}

/** A cache of results with an expiry; above the limit, the least recently used is dropped. */
export class ExpiringCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #limit: number;
  readonly #clock: Clock;

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    if (this.#clock.monotonicMs() >= entry.until) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: T, forMs: number): void {
    if (forMs <= 0) return;
    this.#entries.delete(key);
    const oldest = this.#entries.keys().next().value;
    if (this.#entries.size >= this.#limit && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { value, until: this.#clock.monotonicMs() + forMs });
  }
}
