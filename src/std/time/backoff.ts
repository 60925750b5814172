import { type Random, systemRandom } from "../base/random.ts";

/** How long to wait before try n+1, given n failures so far (1 or more). */
export type Backoff = (failures: number) => number;

export interface ExponentialBackoffOptions {
  /** The wait after the first failure. */
  readonly baseMs: number;
  /** No wait is longer than this, jitter included. */
  readonly maxMs: number;
  /** By what the wait grows with each failure; default 2. */
  readonly factor?: number;
  /** Up to this share of a wait is added at random, to keep crowds apart; default 0. */
  readonly jitter?: number;
  readonly random?: Random;
}

/** Waits that grow by a factor up to a cap. */
export function exponentialBackoff(options: ExponentialBackoffOptions): Backoff {
  const { baseMs, maxMs, factor = 2, jitter = 0, random = systemRandom } = options;
  return (failures) => {
    const waitMs = Math.min(maxMs, baseMs * factor ** Math.max(0, failures - 1));
    return Math.min(maxMs, waitMs * (1 + jitter * random()));
  };
}
