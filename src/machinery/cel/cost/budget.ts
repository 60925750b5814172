/**
 * Limit of the cost of all expressions for one object, about a second. Upstream:
 * RuntimeCELCostBudget.
 */
export const costBudget = 10_000_000;

/** Message when the budget is exceeded. */
export const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";
