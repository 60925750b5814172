import { type Clock, nextTurn, type Timer, type TimerOptions } from "#/std/time/clock.ts";
import { sleepOn, timer } from "#/std/time/timer.ts";

interface Pending {
  dueMs: number;
  readonly run: () => void;
  /** For a repeating timer. */
  readonly everyMs: number | undefined;
}

/** A clock that moves only when the test advances it. */
export class FakeClock implements Clock {
  #nowMs: number;
  #elapsedMs = 0;
  /** In order of creation, which is the order in which timers with the same due time run. */
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

  /** Number of pending timers and sleeps: 0 at the end of a test means nothing leaked. */
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
   * Advances the time and runs due timers in order, each at its due time. Before, between and
   * after, settled promises (not I/O) run their reactions, so a timer set in reaction to another
   * one still fires.
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

  /** Sets only the wall clock, as an operator or NTP would; timers are not affected. */
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
