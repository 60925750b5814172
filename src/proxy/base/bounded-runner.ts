import type { Clock, Timer } from "#/std/time/clock.ts";

interface BoundedRunnerOptions {
  readonly clock: Clock;
  /**
   * The least time between the end of a run and the next one. After as long without a request, two
   * runs may follow each other at once.
   */
  readonly minMs: number;
  /** Delay of a retry after a failure. */
  readonly retryMs: number;
  /** Delay of the next run without a request. */
  readonly maxMs: number;
  /** Returns whether it succeeded; must not throw. */
  run(): Promise<boolean>;
}

/**
 * Runs a function on request, one run at a time, with limits for its rate. A new Service and its
 * endpoints are two requests within milliseconds: the second one does not wait for minMs.
 */
export class BoundedRunner {
  readonly #options: BoundedRunnerOptions;
  #asked = false;
  #wake: (() => void) | undefined;

  constructor(options: BoundedRunnerOptions) {
    this.#options = options;
  }

  /** Requests a run as soon as allowed; requests before it begins are merged. */
  request(): void {
    this.#asked = true;
    this.#wake?.();
  }

  /** Runs until the signal aborts; a current run is finished first. */
  async loop(signal: AbortSignal): Promise<void> {
    const { clock, minMs, retryMs, maxMs, run } = this.#options;
    let waitMs = maxMs;
    let mayFollow = true;
    while (!signal.aborted) {
      const idleSince = clock.monotonicMs();
      await this.#waitForRequest(waitMs, signal);
      if (signal.aborted) return;
      mayFollow ||= clock.monotonicMs() - idleSince >= minMs;
      this.#asked = false;
      const done = await run();
      waitMs = done ? maxMs : Math.min(retryMs, maxMs);
      if (mayFollow && done) mayFollow = !(await this.#asksWithin(minMs, signal));
      else await clock.sleep(minMs, signal).catch(() => undefined);
    }
  }

  /** Whether a run is requested within a time; returns when it is. */
  async #asksWithin(ms: number, signal: AbortSignal): Promise<boolean> {
    await this.#waitForRequest(ms, signal);
    return this.#asked;
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
