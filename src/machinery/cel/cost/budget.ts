/** Most that all expressions evaluated for one object may cost together, about a second. Upstream: RuntimeCELCostBudget. */
export const costBudget = 10_000_000;

/** What is said when the budget is used up. */
export const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";
