import type { Clock } from "./clock.ts";

/**
 * Wall-clock time with fractions of a millisecond, from the monotonic clock. It follows the wall clock, of which it
 * stays within the same millisecond: so times of programs on one machine can be compared.
 */
export class PreciseClock {
  readonly #clock: Clock;
  /** Wall clock minus monotonic clock (ms). */
  #offsetMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offsetMs = clock.now() - clock.monotonicMs();
  }

  /** Milliseconds since 1970. */
  now(): number {
    const monotonicMs = this.#clock.monotonicMs();
    const wallMs = this.#clock.now();
    const preciseMs = monotonicMs + this.#offsetMs;
    if (preciseMs < wallMs) this.#offsetMs = wallMs - monotonicMs;
    else if (preciseMs >= wallMs + 1) this.#offsetMs = wallMs + 1 - leastMs - monotonicMs;
    return monotonicMs + this.#offsetMs;
  }

  /** The wall-clock time of a time of the monotonic clock. */
  at(monotonicMs: number): number {
    this.now();
    return monotonicMs + this.#offsetMs;
  }
}

/** The resolution of times (ms). */
const leastMs = 0.001;
