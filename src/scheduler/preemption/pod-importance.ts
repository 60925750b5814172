import type { Pod } from "#/api/core/v1.ts";
import { parseTime } from "#/machinery/time/time.ts";

/** Of higher priority, or older if the priorities are the same. */
export function compareImportance(a: Pod, b: Pod): number {
  const byPriority = (b.spec.priority ?? 0) - (a.spec.priority ?? 0);
  return byPriority === 0 ? startTime(a) - startTime(b) : byPriority;
}

/** When a pod began to run; the far future if it hasn't. */
export function startTime({ status }: Pod): number {
  return status?.startTime ? parseTime(status.startTime) : Number.MAX_SAFE_INTEGER;
}
