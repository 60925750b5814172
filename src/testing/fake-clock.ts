import {
  type Clock,
  nextTurn,
  sleepOn,
  type Timer,
  type TimerOptions,
  timer,
} from "#/std/time/clock.ts";

interface Pending {
  dueMs: number;
  readonly run: () => void;
  /** For a repeating timer. */
  readonly everyMs: number | undefined;
}

/** A clock that stands still until the test advances it. */
export class FakeClock implements Clock {
  #nowMs: number;
  #elapsedMs = 0;
  /** In order of creation, which is the order in which timers due at the same moment run. */
  readonly #pending = new Set<Pending>();

  constructor(start: number | string = "2025-01-01T00:00:00Z") {
    this.#nowMs = new Date(start).getTime();
  }

  now(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  /** How many timers and sleeps are waiting: 0 at the end of a test means nothing leaked. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  setTimer(ms: number, run: () => void, _options?: TimerOptions): Timer {
    return this.#schedule({ dueMs: this.#elapsedMs + Math.max(0, ms), run, everyMs: undefined });
  }

  every(ms: number, run: () => void, _options?: TimerOptions): Timer {
    const everyMs = Math.max(1, ms);
    return this.#schedule({ dueMs: this.#elapsedMs + everyMs, run, everyMs });
  }

  /**
   * Moves time on, running what falls due in order, each at its own moment. Before, between and
   * after, everything that was already settled (promises, not I/O) gets to run, so a timer set in
   * reaction to another one still fires.
   */
  async advance(ms: number): Promise<void> {
    const target = this.#elapsedMs + ms;
    await nextTurn();
    for (let next = this.#nextDue(target); next; next = this.#nextDue(target)) {
      this.#moveTo(Math.max(next.dueMs, this.#elapsedMs));
      if (next.everyMs === undefined) this.#pending.delete(next);
      else next.dueMs += next.everyMs;
      next.run();
      await nextTurn();
    }
    this.#moveTo(target);
  }

  /** Sets the wall clock alone, as an operator or NTP would; timers don't notice. */
  setWallClock(time: number | string): void {
    this.#nowMs = new Date(time).getTime();
  }

  #schedule(pending: Pending): Timer {
    this.#pending.add(pending);
    return timer(() => this.#pending.delete(pending));
  }

  #nextDue(target: number): Pending | undefined {
    let next: Pending | undefined;
    for (const pending of this.#pending) {
      if (pending.dueMs <= target && (!next || pending.dueMs < next.dueMs)) next = pending;
    }
    return next;
  }

  #moveTo(elapsedMs: number): void {
    this.#nowMs += elapsedMs - this.#elapsedMs;
    this.#elapsedMs = elapsedMs;
  }
}
