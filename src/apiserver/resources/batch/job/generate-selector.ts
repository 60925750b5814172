import type { Job } from "#/api/batch/v1.ts";
import type { Decoded } from "../../../registry/strategy.ts";

/** Labels by which a Job selects its Pods, and their legacy names. */
export const jobNameLabel = "batch.kubernetes.io/job-name";
export const controllerUidLabel = "batch.kubernetes.io/controller-uid";
export const legacyJobNameLabel = "job-name";
export const legacyControllerUidLabel = "controller-uid";

/** Generates the selector of a new Job, unless manualSelector is set. Upstream: pkg/registry/batch/job/strategy.go. */
export function generateSelector({ metadata, spec }: Decoded<Job>): void {
  const { name = "", uid = "" } = metadata;
  spec.template.metadata.labels ??= {};
  const { labels } = spec.template.metadata;
  labels[legacyJobNameLabel] ??= name;
  labels[jobNameLabel] ??= name;
  labels[legacyControllerUidLabel] ??= uid;
  labels[controllerUidLabel] ??= uid;
  spec.selector ??= {};
  spec.selector.matchLabels ??= {};
  spec.selector.matchLabels[controllerUidLabel] ??= uid;
}
