import type { DaemonSet } from "#/api/apps/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { validateMetaUpdate } from "../../rules/object-meta-rules.ts";
import { validateCollisions, validateCounts } from "../../workloads/status-counts.ts";

const path = fieldPath("status");
const counts = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
];

/** Validation errors of a new status. Upstream: pkg/apis/apps/validation/validation.go. */
export function validateDaemonSetStatus(
  { metadata, status }: Decoded<DaemonSet>,
  old: Decoded<DaemonSet>,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateMetaUpdate(metadata, old.metadata));
  if (status) validateCounts(report, path, status, counts);
  validateCollisions(report, path, status, old.status);
  return report.errors;
}
