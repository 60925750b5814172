import type { PodCondition, PodStatus } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";

/**
 * Sets a condition of a Pod. Its transition time changes only with its status.
 *
 * Upstream: pkg/api/pod/util.go.
 */
export function setPodCondition(
  status: PodStatus,
  condition: Omit<PodCondition, "lastTransitionTime">,
  now: number,
): void {
  const conditions = status.conditions ?? [];
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const old = conditions[index];
  const lastTransitionTime =
    old?.status === condition.status ? old.lastTransitionTime : formatTime(now);
  const next = { ...condition, ...(lastTransitionTime ? { lastTransitionTime } : {}) };
  status.conditions = index < 0 ? [...conditions, next] : conditions.with(index, next);
}
