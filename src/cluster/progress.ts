import { type Clock, systemClock } from "#/std/clock.ts";

/** Where a long command says what it does: on a terminal a line grows while it works, elsewhere one line per step. */
export interface ProgressTarget {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

export class Progress {
  readonly #target: ProgressTarget;
  readonly #clock: Clock;

  constructor(target: ProgressTarget = process.stderr, clock: Clock = systemClock) {
    this.#target = target;
    this.#clock = clock;
  }

  /** Does a step and says how long it took, or that it failed. */
  async step<T>(what: string, work: () => Promise<T> | T): Promise<T> {
    const began = this.#clock.monotonicMs();
    if (this.#target.isTTY) this.#target.write(`  … ${what}`);
    try {
      const result = await work();
      this.#finish("✓", what, this.#clock.monotonicMs() - began);
      return result;
    } catch (error) {
      this.#finish("✗", what, this.#clock.monotonicMs() - began);
      throw error;
    }
  }

  say(text: string): void {
    this.#target.write(`${text}\n`);
  }

  #finish(mark: string, what: string, tookMs: number): void {
    const start = this.#target.isTTY ? "\r\x1b[K" : "";
    this.#target.write(`${start}  ${mark} ${what} (${(tookMs / 1000).toFixed(1)} s)\n`);
  }
}
