/** Upstream: pkg/controller/ttlafterfinished. */
import type { Job } from "#/api/batch/v1.ts";
import { parseTime } from "#/machinery/time/time.ts";

/** Time until a Job is deleted; undefined for ever. */
export function expiresInMs({ metadata, spec, status }: Job, nowMs: number): number | undefined {
  const seconds = spec.ttlSecondsAfterFinished;
  if (seconds === undefined || metadata.deletionTimestamp) return undefined;
  const end = status?.conditions?.find(
    (one) => (one.type === "Complete" || one.type === "Failed") && one.status === "True",
  );
  if (!end?.lastTransitionTime) return undefined;
  return parseTime(end.lastTransitionTime) + seconds * 1000 - nowMs;
}
