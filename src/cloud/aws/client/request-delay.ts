/** Upstream: cloud-provider-aws pkg/providers/v1/retry_handler.go. */

/** The counts lose a fifth every 20 s. */
const decayIntervalSeconds = 20;
const decayFactor = 0.8;

const maxDelaySeconds = 60;

/** Below this share of throttled calls none is delayed. */
const ignoredShare = 0.1;

/**
 * Delays all calls in a region while AWS throttles it, so that the account's quota recovers. Beside
 * the retries of each call.
 */
export class RequestDelay {
  #throttled = 0;
  /** Starts above 0, so that one throttled call at the start does not cause the whole delay. */
  #requests = 4;
  #lastDecaySeconds: number;

  constructor(nowMs: number) {
    this.#lastDecaySeconds = Math.floor(nowMs / 1000);
  }

  /** Counts a call; the delay (ms) before it is sent. */
  delayMs(nowMs: number): number {
    const nowSeconds = Math.floor(nowMs / 1000);
    const elapsed = nowSeconds - this.#lastDecaySeconds;
    if (elapsed > decayIntervalSeconds) {
      const decay = decayFactor ** (elapsed / decayIntervalSeconds);
      this.#throttled *= decay;
      this.#requests *= decay;
      this.#lastDecaySeconds = nowSeconds;
    }
    this.#requests += 1;
    const share = this.#requests > 0.5 ? this.#throttled / this.#requests : 0;
    return share < ignoredShare ? 0 : Math.floor(maxDelaySeconds * share) * 1000;
  }

  reportThrottled(): void {
    this.#throttled += 1;
  }
}
