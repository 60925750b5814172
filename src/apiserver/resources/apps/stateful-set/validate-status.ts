import type { StatefulSet } from "#/api/apps/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { validateMetaUpdate } from "../../rules/object-meta-rules.ts";
import {
  validateAtMost,
  validateCollisions,
  validateCounts,
} from "../../workloads/status-counts.ts";

const path = fieldPath("status");
const counts = [
  "replicas",
  "readyReplicas",
  "currentReplicas",
  "updatedReplicas",
  "availableReplicas",
  "observedGeneration",
  "collisionCount",
];
const partsOfReplicas = {
  fields: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
  limit: "replicas",
  limitName: "status.replicas",
};
const partsOfReady = {
  fields: ["availableReplicas"],
  limit: "readyReplicas",
  limitName: "status.readyReplicas",
};

/** Validation errors of a new status. Upstream: pkg/apis/apps/validation/validation.go. */
export function validateStatefulSetStatus(
  { metadata, status }: Decoded<StatefulSet>,
  old: Decoded<StatefulSet>,
): FieldError[] {
  const report = new FieldReport();
  if (status) {
    validateCounts(report, path, status, counts);
    validateAtMost(report, path, status, partsOfReplicas);
    validateAtMost(report, path, status, partsOfReady);
  }
  report.add(validateMetaUpdate(metadata, old.metadata));
  validateCollisions(report, path, status, old.status);
  return report.errors;
}
