/** Upstream: pkg/api/v1/pod/util.go, pkg/controller/controller_utils.go. */
import type { Pod } from "#/api/core/v1.ts";
import { findCondition, hasCondition } from "#/machinery/meta/conditions.ts";
import { parseTime } from "#/machinery/time/time.ts";

/** Whether a Pod has neither ended nor is terminating. */
export function isActive({ status, metadata }: Pod): boolean {
  return !isFinished({ status: status ?? {} }) && metadata.deletionTimestamp === undefined;
}

/** Whether a Pod has ended, with or without success. */
export const isFinished = ({ status }: Pick<Pod, "status">): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";

/** Whether a Pod is being deleted but has not ended. */
export const isTerminating = (pod: Pod): boolean =>
  !isFinished(pod) && pod.metadata.deletionTimestamp !== undefined;

export const isReady = ({ status }: Pod): boolean => hasCondition(status?.conditions, "Ready");

/** Since when a Pod is ready, in milliseconds; undefined if it isn't, or if the time is unknown. */
export function readySinceMs(pod: Pod): number | undefined {
  const ready = findCondition(pod.status?.conditions, "Ready");
  if (ready?.status !== "True" || !ready.lastTransitionTime) return undefined;
  return parseTime(ready.lastTransitionTime);
}

/** Whether a Pod has been ready for minReadySeconds. */
export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  if (!isReady(pod)) return false;
  const since = readySinceMs(pod);
  if (minReadySeconds === 0) return true;
  return since !== undefined && since + minReadySeconds * 1000 <= nowMs;
}

/** Time until a ready Pod is available; undefined if it is already, or isn't ready. */
export function availableInMs(
  pod: Pod,
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  const since = readySinceMs(pod);
  if (since === undefined || isAvailable(pod, minReadySeconds, nowMs)) return undefined;
  return since + minReadySeconds * 1000 - nowMs;
}
