import type { JobSpec } from "#/api/batch/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { podTemplateWarnings } from "../../core/pod-spec/pod-warnings.ts";

/** What jobs and the templates of jobs have in common. Upstream: pkg/api/job/{util,warnings}.go. */

/** From here on a job is big. */
export const manyCompletions = 100_000;
const muchParallelism = 10_000;

/** Forgets fields of features that are off and were not in use. */
export function dropDisabledJobFields(
  spec: JobSpec,
  old: JobSpec | undefined,
  context: { enabled(feature: string): boolean },
): void {
  if (context.enabled("WorkloadWithJob") || old?.scheduling !== undefined) return;
  delete spec.scheduling;
}

/** What the author of a job should know even though it is accepted. */
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
