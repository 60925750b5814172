import { type Clock, nextTurn } from "../time/clock.ts";
import { currentWork, enterWork } from "../time/turn-watch.ts";

/** Limit of uninterrupted work (ms) in one turn of the event loop. */
const defaultTurnMs = 5;

/** Makes long work yield to I/O regularly. */
export class TurnBudget {
  readonly #clock: Clock;
  readonly #turnMs: number;
  #startedMs: number;

  constructor(clock: Clock, turnMs: number = defaultTurnMs) {
    this.#clock = clock;
    this.#turnMs = turnMs;
    this.#startedMs = clock.monotonicMs();
  }

  /** Whether the work must yield. */
  get isSpent(): boolean {
    return this.#clock.monotonicMs() - this.#startedMs >= this.#turnMs;
  }

  /** Waits for one turn of the event loop. */
  async yield(): Promise<void> {
    const work = currentWork();
    await nextTurn();
    if (work) enterWork(work);
    this.restart();
  }

  /** Starts a new budget: this turn has just begun. */
  restart(): void {
    this.#startedMs = this.#clock.monotonicMs();
  }
}
