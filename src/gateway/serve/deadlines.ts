import type { Clock, Timer } from "#/std/time/clock.ts";

/** Interval of checks (ms): deadlines are of seconds and minutes. */
const checkMs = 1_000;

/** The end of the time for something; dispose it when that has happened. */
interface Deadline extends Disposable {
  /** Sets it to this time (ms) from now. */
  extend(ms: number): void;
}

/** The deadlines of many requests with one timer. */
export class Deadlines implements Disposable {
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #pending = new Set<{ untilMs: number; readonly expire: () => void }>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#timer = clock.every(checkMs, () => this.#check(), { keepAlive: false });
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
    this.#pending.clear();
  }

  /** Calls `expire` after this time (ms), and up to a second later. */
  begin(ms: number, expire: () => void): Deadline {
    const entry = { untilMs: this.#clock.monotonicMs() + ms, expire };
    this.#pending.add(entry);
    return {
      extend: (more) => {
        entry.untilMs = this.#clock.monotonicMs() + more;
      },
      [Symbol.dispose]: () => void this.#pending.delete(entry),
    };
  }

  #check(): void {
    const now = this.#clock.monotonicMs();
    for (const entry of this.#pending) {
      if (entry.untilMs > now) continue;
      this.#pending.delete(entry);
      entry.expire();
    }
  }
}
