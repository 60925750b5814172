import type { Clock, Timer } from "#/std/time/clock.ts";

export interface BoundedRunnerOptions {
  readonly clock: Clock;
  /** The least time between the end of a run and the next one. */
  readonly minMs: number;
  /** When to try again after a failure. */
  readonly retryMs: number;
  /** When to run again though nobody asked. */
  readonly maxMs: number;
  /** Returns whether it went well; must not throw. */
  run(): Promise<boolean>;
}

/** Runs something whenever asked to, one at a time, but not too often and not too seldom. */
export class BoundedRunner {
  readonly #options: BoundedRunnerOptions;
  #asked = false;
  #wake: (() => void) | undefined;

  constructor(options: BoundedRunnerOptions) {
    this.#options = options;
  }

  /** Asks for a run as soon as may be; asking twice before it begins is asking once. */
  request(): void {
    this.#asked = true;
    this.#wake?.();
  }

  /** Runs until the signal aborts; a run under way is finished first. */
  async loop(signal: AbortSignal): Promise<void> {
    const { clock, minMs, retryMs, maxMs, run } = this.#options;
    let waitMs = maxMs;
    while (!signal.aborted) {
      await this.#waitForRequest(waitMs, signal);
      if (signal.aborted) return;
      this.#asked = false;
      const done = await run();
      waitMs = done ? maxMs : Math.min(retryMs, maxMs);
      await clock.sleep(minMs, signal).catch(() => undefined);
    }
  }

  #waitForRequest(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#asked) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        timer.cancel();
        signal.removeEventListener("abort", wake);
        this.#wake = undefined;
        resolve();
      };
      const timer: Timer = this.#options.clock.setTimer(ms, wake);
      signal.addEventListener("abort", wake, { once: true });
      this.#wake = wake;
    });
  }
}
