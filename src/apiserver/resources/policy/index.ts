import type { Declaration } from "../../registry/strategy.ts";
import { podDisruptionBudget } from "./pod-disruption-budget.ts";

/** The resources of policy. */
export const policyResources: readonly Declaration[] = [podDisruptionBudget];
