import type { JobSpec } from "#/api/batch/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { podTemplateWarnings } from "../../core/pod-spec/pod-warnings.ts";

/** Rules that Jobs and Job templates share. Upstream: pkg/api/job/{util,warnings}.go. */

/** Thresholds (completions, Pods) from which a Job is large. */
export const manyCompletions = 100_000;
const muchParallelism = 10_000;

/** Drops fields of disabled features that the old object does not use. */
export function dropDisabledJobFields(
  spec: JobSpec,
  old: JobSpec | undefined,
  context: { enabled(feature: string): boolean },
): void {
  if (context.enabled("WorkloadWithJob") || old?.scheduling !== undefined) return;
  delete spec.scheduling;
}

/** Warnings for a Job that is accepted. */
export function jobSpecWarnings(spec: JobSpec, path: FieldPath): string[] {
  const { completionMode, completions = 0, parallelism = 0 } = spec;
  const big =
    completionMode === "Indexed" && completions > manyCompletions && parallelism > muchParallelism;
  return [
    ...(big
      ? [
          `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
        ]
      : []),
    ...podTemplateWarnings(spec.template, path.child("template")),
  ];
}
