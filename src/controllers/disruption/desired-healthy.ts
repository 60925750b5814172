/** Upstream: pkg/controller/disruption/disruption.go, staging/src/k8s.io/component-helpers/apps/poddisruptionbudget. */
import type { PodDisruptionBudget } from "#/api/policy/v1.ts";
import { scaledValue } from "#/machinery/values/int-or-string.ts";

/** The required number of healthy Pods for an expected number. */
export function desiredHealthy({ spec }: PodDisruptionBudget, expected: number): number {
  const { maxUnavailable, minAvailable } = spec ?? {};
  const options = { total: expected, roundUp: true };
  if (maxUnavailable !== undefined) {
    return Math.max(0, expected - scaledValue(maxUnavailable, options));
  }
  return minAvailable === undefined ? 0 : scaledValue(minAvailable, options);
}
