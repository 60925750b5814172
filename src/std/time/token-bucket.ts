import type { MaybePromise } from "../base/maybe-promise.ts";
import { type Clock, systemClock } from "./clock.ts";

interface TokenBucketOptions {
  /** Tokens added per second. */
  readonly qps: number;
  /** Limit of tokens; at least 1. */
  readonly burst: number;
  readonly clock?: Clock;
}

/**
 * A rate limit: a burst at once, then a number per second, in the order of the calls.
 *
 * Upstream: staging/src/k8s.io/client-go/util/flowcontrol/throttle.go.
 */
export class TokenBucket {
  readonly #qps: number;
  readonly #burst: number;
  readonly #clock: Clock;
  /** Negative when tokens are promised to waiting callers. Invariant: at most #burst. */
  #tokens: number;
  #sinceMs: number;

  constructor({ qps, burst, clock = systemClock }: TokenBucketOptions) {
    this.#qps = qps;
    this.#burst = Math.max(1, burst);
    this.#clock = clock;
    this.#tokens = this.#burst;
    this.#sinceMs = clock.monotonicMs();
  }

  /** Takes a token if one is available. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Takes a token now or in the future; the delay (ms) until it is available. */
  reserveMs(): number {
    this.#refill();
    this.#tokens--;
    return Math.max(0, (-this.#tokens / this.#qps) * 1000);
  }

  /**
   * Takes a token, waiting if needed; undefined when there is no wait. An aborted wait returns its
   * token.
   */
  take(signal?: AbortSignal): MaybePromise<void> {
    const waitMs = this.reserveMs();
    if (waitMs === 0) return undefined;
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
