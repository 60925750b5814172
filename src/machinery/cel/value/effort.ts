import { CostLimitExceeded } from "./cel-fault.ts";

/**
 * Limit of the parts of values that one evaluation visits in addition to those that its cost
 * counts. Costs are upstream's, and ignore the content of nested lists: comparing lists that
 * contain the same list twice, at several levels, has a cost of 1.
 */
const maxEffort = 3_000_000;

let remaining = Number.POSITIVE_INFINITY;

/** Runs work with the effort limit. It must be synchronous. */
export function withEffort<Result>(work: () => Result, most: number = maxEffort): Result {
  const outer = remaining;
  remaining = most;
  try {
    return work();
  } finally {
    remaining = outer;
  }
}

/** Counts visited parts. Throws CostLimitExceeded. */
export function spendEffort(parts: number): void {
  remaining -= parts;
  if (remaining < 0) throw new CostLimitExceeded();
}
