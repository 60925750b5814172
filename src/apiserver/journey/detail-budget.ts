import type { Clock } from "#/std/time/clock.ts";

/** Limits of detailed records: after a pause (count), and per second. */
const burst = 10;
const perSecond = 4;
/** Shortest time between two writes that is a pause (ms). */
const pauseMs = 50;
/** Limit of what one pause adds (count). */
const perPause = 4;
/**
 * The share of the writes of a busy server. A limit per second alone is a larger share the less of its processor the
 * server gets.
 */
const busyShare = 1 / 128;

/**
 * Which requests are recorded in detail: all of a quiet server, and few of a busy one, since a detailed record costs as
 * much as the request.
 */
export class DetailBudget {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #left = burst;
  #sinceMs = 0;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Whether the request that begins now is one. */
  tryTake(): boolean {
    const nowMs = this.#clock.monotonicMs();
    const gapMs = nowMs - this.#sinceMs;
    this.#sinceMs = nowMs;
    const ofTime = (gapMs / 1000) * perSecond;
    const gained = Math.min(ofTime, gapMs < pauseMs ? busyShare : perPause);
    this.#left = Math.min(burst, this.#left + gained);
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
