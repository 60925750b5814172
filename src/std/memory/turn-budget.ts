import { type Clock, nextTurn } from "../time/clock.ts";

/** Work may hold up everything else in the process for so long at a time. */
const defaultTurnMs = 5;

/** Lets long work give way to I/O now and then. */
export class TurnBudget {
  readonly #clock: Clock;
  readonly #turnMs: number;
  #startedMs: number;

  constructor(clock: Clock, turnMs: number = defaultTurnMs) {
    this.#clock = clock;
    this.#turnMs = turnMs;
    this.#startedMs = clock.monotonicMs();
  }

  /** Whether it is time to give way. */
  get isSpent(): boolean {
    return this.#clock.monotonicMs() - this.#startedMs >= this.#turnMs;
  }

  /** Lets all else have its turn. */
  async yield(): Promise<void> {
    await nextTurn();
    this.restart();
  }

  /** Counts from now: this turn has just begun. */
  restart(): void {
    this.#startedMs = this.#clock.monotonicMs();
  }
}
