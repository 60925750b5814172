import type { Clock, Timer } from "#/std/time/clock.ts";
import type { Version } from "./version.ts";

/** Calls back when versions reach their expiry. One timer, set for the earliest. */
export class Expirer implements Disposable {
  readonly #clock: Clock;
  readonly #onExpired: (version: Version) => void;
  /** A binary heap: each version expires no earlier than the one at (index - 1) / 2. */
  readonly #heap: Version[] = [];
  #timer: { readonly atMs: number; readonly timer: Timer } | undefined;

  constructor(clock: Clock, onExpired: (version: Version) => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  /** Adds a version, if it expires. A replaced version needn't be removed. */
  add(version: Version): void {
    if (version.expiresAtMs === 0) return;
    this.#push(version);
    this.#setTimer();
  }

  [Symbol.dispose](): void {
    this.#timer?.timer.cancel();
    this.#heap.length = 0;
  }

  #setTimer(): void {
    const atMs = this.#heap[0]?.expiresAtMs;
    if (atMs === this.#timer?.atMs) return;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    if (atMs === undefined) return;
    const delayMs = Math.max(0, atMs - this.#clock.now());
    const timer = this.#clock.setTimer(delayMs, () => this.#expire(), { keepAlive: false });
    this.#timer = { atMs, timer };
  }

  #expire(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (let first = this.#heap[0]; first && first.expiresAtMs <= now; first = this.#heap[0]) {
      this.#pop();
      this.#onExpired(first);
    }
    this.#setTimer();
  }

  #push(version: Version): void {
    let place = this.#heap.length;
    while (place > 0) {
      const parent = this.#heap[(place - 1) >> 1];
      if (!parent || parent.expiresAtMs <= version.expiresAtMs) break;
      this.#heap[place] = parent;
      place = (place - 1) >> 1;
    }
    this.#heap[place] = version;
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (!last || this.#heap.length === 0) return;
    let place = 0;
    for (;;) {
      const child = this.#earlierChild(place);
      const version = this.#heap[child];
      if (!version || version.expiresAtMs >= last.expiresAtMs) break;
      this.#heap[place] = version;
      place = child;
    }
    this.#heap[place] = last;
  }

  #earlierChild(place: number): number {
    const left = this.#heap[2 * place + 1];
    const right = this.#heap[2 * place + 2];
    return left && right && right.expiresAtMs < left.expiresAtMs ? 2 * place + 2 : 2 * place + 1;
  }
}
