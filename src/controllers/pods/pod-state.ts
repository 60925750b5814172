/** Upstream: pkg/api/v1/pod/util.go, pkg/controller/controller_utils.go. */
import type { Pod } from "#/api/core/v1.ts";
import { findCondition, hasCondition } from "#/machinery/meta/conditions.ts";
import { parseTime } from "#/machinery/time/time.ts";

/** Whether a pod has neither ended nor is going. */
export function isActive({ status, metadata }: Pod): boolean {
  return !isFinished({ status: status ?? {} }) && metadata.deletionTimestamp === undefined;
}

/** Whether a pod has ended by itself, well or not. */
export const isFinished = ({ status }: Pick<Pod, "status">): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";

/** Whether a pod is going but still there. */
export const isTerminating = (pod: Pod): boolean =>
  !isFinished(pod) && pod.metadata.deletionTimestamp !== undefined;

export const isReady = ({ status }: Pod): boolean => hasCondition(status?.conditions, "Ready");

/** Since when a pod is ready, in milliseconds; undefined if it isn't, or doesn't say. */
export function readySinceMs(pod: Pod): number | undefined {
  const ready = findCondition(pod.status?.conditions, "Ready");
  if (ready?.status !== "True" || !ready.lastTransitionTime) return undefined;
  return parseTime(ready.lastTransitionTime);
}

/** Whether a pod has been ready for so long that it counts. */
export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  if (!isReady(pod)) return false;
  const since = readySinceMs(pod);
  if (minReadySeconds === 0) return true;
  return since !== undefined && since + minReadySeconds * 1000 <= nowMs;
}

/** How long until a pod that is ready counts as available; undefined if it is already, or isn't ready. */
export function availableInMs(
  pod: Pod,
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  const since = readySinceMs(pod);
  if (since === undefined || isAvailable(pod, minReadySeconds, nowMs)) return undefined;
  return since + minReadySeconds * 1000 - nowMs;
}
