import type { Job, JobSpec } from "#/api/batch/v1.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { setPodTemplateDefaults } from "../../core/pod-spec/pod-defaults.ts";

const maxInt32 = 2 ** 31 - 1;

/** Sets the defaults of a job. Upstream: pkg/apis/batch/v1/defaults.go. */
export function setJobDefaults({ metadata, spec }: Decoded<Job>): void {
  if (spec.parallelism === undefined) spec.completions ??= 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxInt32;
  const { labels } = spec.template.metadata;
  // Both share one map of labels, so that labels which the server adds to the template are the Job's too.
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  spec.manualSelector ??= false;
  setJobSpecDefaults(spec);
}

/** Sets the defaults that a Job and a Job template share. */
export function setJobSpecDefaults(spec: JobSpec): void {
  for (const { onPodConditions = [] } of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions) pattern.status ||= "True";
  }
  setPodTemplateDefaults(spec.template);
}
