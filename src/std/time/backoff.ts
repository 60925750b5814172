import { type Random, systemRandom } from "../base/random.ts";

/** The delay before the next attempt, after this number of failures (1 or more). */
export type Backoff = (failures: number) => number;

export interface ExponentialBackoffOptions {
  /** The wait after the first failure. */
  readonly baseMs: number;
  /** Limit of the delay, jitter included. */
  readonly maxMs: number;
  /** Factor of growth with each failure; default 2. */
  readonly factor?: number;
  /** Limit of the random share that is added, to spread clients; default 0. */
  readonly jitter?: number;
  readonly random?: Random;
}

/** Delays that grow by a factor up to a limit. */
export function exponentialBackoff(options: ExponentialBackoffOptions): Backoff {
  const { baseMs, maxMs, factor = 2, jitter = 0, random = systemRandom } = options;
  return (failures) => {
    const waitMs = Math.min(maxMs, baseMs * factor ** Math.max(0, failures - 1));
    return Math.min(maxMs, waitMs * (1 + jitter * random()));
  };
}
