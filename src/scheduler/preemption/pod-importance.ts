import type { Pod } from "#/api/core/v1.ts";
import { parseTime } from "#/machinery/time/time.ts";

/** True if a pod has a higher priority, or the same priority and an earlier start. */
export function compareImportance(a: Pod, b: Pod): number {
  const byPriority = (b.spec.priority ?? 0) - (a.spec.priority ?? 0);
  return byPriority === 0 ? startTime(a) - startTime(b) : byPriority;
}

/** Start time of a pod (ms); the far future if it hasn't started. */
export function startTime({ status }: Pod): number {
  return status?.startTime ? parseTime(status.startTime) : Number.MAX_SAFE_INTEGER;
}
