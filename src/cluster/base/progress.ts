import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { type Paint, paintFor } from "./paint.ts";

/** Where a long command shows its progress: a live line on a terminal, one line for each finished step elsewhere. */
interface ProgressTarget {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Interval (ms) at which the live line is drawn. */
const drawMs = 250;
const frames = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"];
/** Width of a terminal that does not report one. */
const usualColumns = 80;

export class Progress {
  readonly #target: ProgressTarget;
  readonly #clock: Clock;
  readonly #paint: Paint;
  readonly #beganMs: number;

  constructor(target: ProgressTarget = process.stderr, clock: Clock = systemClock) {
    this.#target = target;
    this.#clock = clock;
    this.#paint = paintFor(target);
    this.#beganMs = clock.monotonicMs();
  }

  /** The colours of the output. */
  get paint(): Paint {
    return this.#paint;
  }

  /** Seconds since the start of the command. */
  get seconds(): string {
    return secondsText(this.#clock.monotonicMs() - this.#beganMs);
  }

  /** Runs a step and reports its duration, or its failure. */
  async step<T>(title: string, work: () => MaybePromise<T>): Promise<T> {
    const beganMs = this.#clock.monotonicMs();
    const tookMs = () => this.#clock.monotonicMs() - beganMs;
    using _live = this.#draw(title, tookMs);
    try {
      const result = await work();
      this.#finish(this.#paint("good", "✓"), title, tookMs());
      return result;
    } catch (error) {
      this.#finish(this.#paint("bad", "✗"), title, tookMs());
      throw error;
    }
  }

  print(text: string): void {
    this.#target.write(`${text}\n`);
  }

  /** Redraws the line of a step, with its seconds; does nothing if the output is not a terminal. */
  #draw(title: string, tookMs: () => number): Disposable {
    if (!this.#target.isTTY) return { [Symbol.dispose]: () => undefined };
    let drawn = 0;
    const draw = () => {
      const text = `  ${frames[drawn++ % frames.length]} ${title} (${secondsText(tookMs())})`;
      this.#target.write(`\r\x1b[K${text.slice(0, (this.#target.columns ?? usualColumns) - 1)}`);
    };
    draw();
    return this.#clock.every(drawMs, draw, { keepAlive: false });
  }

  #finish(mark: string, title: string, tookMs: number): void {
    const start = this.#target.isTTY ? "\r\x1b[K" : "";
    this.#target.write(`${start}  ${mark} ${title} (${secondsText(tookMs)})\n`);
  }
}

const secondsText = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
