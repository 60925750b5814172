import { type Clock, systemClock } from "./clock.ts";

export interface TokenBucketOptions {
  /** Tokens that come back each second. */
  readonly qps: number;
  /** How many there can be; at least 1. */
  readonly burst: number;
  readonly clock?: Clock;
}

/**
 * Lets so many through at once, then so many each second, in the order they came.
 *
 * Upstream: staging/src/k8s.io/client-go/util/flowcontrol/throttle.go.
 */
export class TokenBucket {
  readonly #qps: number;
  readonly #burst: number;
  readonly #clock: Clock;
  /** Below zero when tokens are promised to those who wait. Invariant: at most #burst. */
  #tokens: number;
  #sinceMs: number;

  constructor({ qps, burst, clock = systemClock }: TokenBucketOptions) {
    this.#qps = qps;
    this.#burst = Math.max(1, burst);
    this.#clock = clock;
    this.#tokens = this.#burst;
    this.#sinceMs = clock.monotonicMs();
  }

  /** Takes a token if there is one now. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Takes a token, waiting for it if need be; undefined when there is no wait. Who gives up gives its token back. */
  take(signal?: AbortSignal): Promise<void> | undefined {
    this.#refill();
    this.#tokens--;
    if (this.#tokens >= 0) return undefined;
    const waitMs = (-this.#tokens / this.#qps) * 1000;
    return this.#clock.sleep(waitMs, signal).catch((error: unknown) => {
      this.#tokens++;
      throw error;
    });
  }

  #refill(): void {
    const now = this.#clock.monotonicMs();
    const gained = ((now - this.#sinceMs) / 1000) * this.#qps;
    this.#tokens = Math.min(this.#burst, this.#tokens + gained);
    this.#sinceMs = now;
  }
}
