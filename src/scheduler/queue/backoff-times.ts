import type { QueuedPod } from "../framework/queued-pod.ts";

export interface BackoffLimits {
  readonly initialMs: number;
  readonly maxMs: number;
}

/** Backoffs end at whole seconds, so that pods whose backoffs end in one second are ordered by priority. */
export const orderingWindowMs = 1_000;

export const alignToWindow = (ms: number): number =>
  Math.floor(ms / orderingWindowMs) * orderingWindowMs;

/**
 * Backoff (ms) of a pod after a number of failures: doubling up to the limit.
 *
 * Upstream: pkg/scheduler/backend/queue/backoff_queue.go.
 */
function backoffMs(count: number, { initialMs, maxMs }: BackoffLimits): number {
  return count === 0 ? 0 : Math.min(maxMs, initialMs * 2 ** (count - 1));
}

/** Time at which a pod's backoff ends; 0 if it has none. Cached in the pod. */
export function backoffUntil(pod: QueuedPod, limits: BackoffLimits): number {
  const count = pod.errorCount > 0 ? pod.errorCount : pod.unschedulableCount;
  if (count === 0 || limits.maxMs === 0) return 0;
  pod.backoffUntilMs ??= alignToWindow(pod.timestampMs + backoffMs(count, limits));
  return pod.backoffUntilMs;
}

/** True while a pod's backoff has not ended. */
export function isBackingOff(pod: QueuedPod, limits: BackoffLimits, nowMs: number): boolean {
  return backoffUntil(pod, limits) >= alignToWindow(nowMs);
}
