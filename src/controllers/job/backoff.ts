/** Upstream: pkg/controller/job/backoff_utils.go. */
import type { ContainerStatus, Pod } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { parseTime } from "#/machinery/time/time.ts";

const firstMs = 10_000;
const longestMs = 600_000;

/** Recent failures of a Job's Pods. */
export interface BackoffRecord {
  readonly failures: number;
  readonly lastFailureMs: number;
}

const none: BackoffRecord = { failures: 0, lastFailureMs: 0 };

/** The record after further Pods have ended: failures are counted since the last success. */
export function nextRecord(
  record: BackoffRecord = none,
  succeeded: readonly Pod[],
  failed: readonly Pod[],
): BackoffRecord {
  const lastSuccessMs = Math.max(-Infinity, ...succeeded.map(finishedMs));
  const times = failed.map(finishedMs).filter((ms) => ms > lastSuccessMs);
  const before = succeeded.length > 0 ? none : record;
  if (times.length === 0) return before;
  return { failures: before.failures + times.length, lastFailureMs: Math.max(...times) };
}

/** Remaining back-off before a Pod is created. */
export function remainingMs({ failures, lastFailureMs }: BackoffRecord, nowMs: number): number {
  if (failures === 0) return 0;
  const waitMs = Math.min(longestMs, firstMs * 2 ** (failures - 1));
  return Math.max(0, waitMs - (nowMs - lastFailureMs));
}

/** When a Pod ended, as accurately as its status allows. */
export function finishedMs(pod: Pod): number {
  const { metadata, status } = pod;
  const ready = findCondition(status?.conditions, "Ready");
  const ended = containersFinishedMs(pod);
  if (ended !== undefined) return ended;
  if (ready?.status === "False" && ready.lastTransitionTime) {
    return parseTime(ready.lastTransitionTime);
  }
  if (metadata.deletionTimestamp) {
    const graceMs = (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    return parseTime(metadata.deletionTimestamp) - graceMs;
  }
  return metadata.creationTimestamp ? parseTime(metadata.creationTimestamp) : 0;
}

function containersFinishedMs({ spec, status }: Pod): number | undefined {
  const sidecars = new Set(
    (spec?.initContainers ?? [])
      .filter(({ restartPolicy }) => restartPolicy === "Always")
      .map(({ name }) => name),
  );
  const statuses: readonly ContainerStatus[] = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  const times = statuses.map(({ state }) => state?.terminated?.finishedAt);
  if (times.length === 0 || times.some((time) => !time)) return undefined;
  return Math.max(...times.map((time) => parseTime(time ?? "")));
}
