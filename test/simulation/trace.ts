import { createHash } from "node:crypto";
import type { Clock } from "#/std/time/clock.ts";

/** Lines that a failure report shows. */
const shownLines = 60;

/** What happened, in order. Two runs of one seed must have the same digest. */
export class Trace {
  readonly #clock: Clock;
  readonly #hash = createHash("sha256");
  readonly #lines: string[] = [];
  /** Called with each line; for runs that print all. */
  onLine: ((line: string) => void) | undefined;
  count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(actor: string, text: string): void {
    const line = `${(this.#clock.monotonicMs() / 1000).toFixed(3).padStart(9)} ${actor}: ${text}`;
    this.count++;
    this.#hash.update(line).update("\n");
    this.#lines.push(line);
    if (this.#lines.length > 2 * shownLines) this.#lines.splice(0, shownLines);
    this.onLine?.(line);
  }

  get last(): readonly string[] {
    return this.#lines.slice(-shownLines);
  }

  digest(): string {
    return this.#hash.copy().digest("hex");
  }
}
