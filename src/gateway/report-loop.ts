import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";

interface LoopOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** What is reported, for the log. */
  readonly subject: string;
  /** Reports the present state; is called again if it fails. */
  readonly report: () => Promise<void>;
}

/** Changes within this time (ms) are reported together. */
const settleMs = 100;
/** Delay (ms) of another attempt after a failure. */
const retryMs = 2_000;

/** Reports changes to the API, one report at a time. */
export class ReportLoop {
  readonly #options: LoopOptions;
  #wake: (() => void) | undefined;
  #hasChanged = true;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /** Reports soon. */
  readonly changed = (): void => {
    this.#hasChanged = true;
    this.#wake?.();
  };

  /** Reports until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, subject, report } = this.#options;
    const pause = (ms: number) => clock.sleep(ms, signal).catch(() => undefined);
    signal.addEventListener("abort", this.changed, { once: true });
    while (!signal.aborted) {
      await pause(settleMs);
      this.#hasChanged = false;
      try {
        await report();
      } catch (error) {
        if (signal.aborted) return;
        log.warning("failed to report", { subject, error: String(error) });
        await pause(retryMs);
        continue;
      }
      if (this.#hasChanged) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
