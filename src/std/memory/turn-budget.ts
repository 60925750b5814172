import type { Steps } from "../base/steps.ts";
import { type Clock, nextTurn } from "../time/clock.ts";
import { currentWork, enterWork } from "../time/turn-watch.ts";

/** Limit of uninterrupted work (ms) in one turn of the event loop. */
const defaultTurnMs = 5;

/** The turn in which the work that yielded last goes on: in each turn one goes on, however many yield. */
let lastTurn = Promise.resolve();

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

  /** Waits for a turn of the event loop in which no other work goes on that has yielded. */
  async yield(): Promise<void> {
    const work = currentWork();
    lastTurn = lastTurn.then(nextTurn);
    await lastTurn;
    if (work) enterWork(work);
    this.restart();
  }

  /** Runs a computation, which yields between its steps when it must. */
  async run<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      if (this.isSpent) await this.yield();
    }
  }

  /** Starts a new budget: this turn has just begun. */
  restart(): void {
    this.#startedMs = this.#clock.monotonicMs();
  }
}
