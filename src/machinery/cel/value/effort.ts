import { CostLimitExceeded } from "./cel-fault.ts";

/**
 * How many parts of values one evaluation may look at in all, besides those that its cost counts. Costs are upstream's,
 * and they take no notice of what is inside of lists: a list of itself twice, a few times over, is equal to another
 * such list at a cost of 1.
 */
const maxEffort = 3_000_000;

let remaining = Number.POSITIVE_INFINITY;

/** Does something that may take an effort, but no more than is allowed. What it does must not wait for anything. */
export function withEffort<Result>(work: () => Result, most: number = maxEffort): Result {
  const outer = remaining;
  remaining = most;
  try {
    return work();
  } finally {
    remaining = outer;
  }
}

/** Takes note of parts that are looked at. Throws CostLimitExceeded. */
export function spendEffort(parts: number): void {
  remaining -= parts;
  if (remaining < 0) throw new CostLimitExceeded();
}
