import type { Deployment } from "#/api/apps/v1.ts";
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
  "observedGeneration",
  "replicas",
  "updatedReplicas",
  "readyReplicas",
  "availableReplicas",
  "unavailableReplicas",
  "terminatingReplicas",
  "collisionCount",
];
const partsOfReplicas = {
  fields: ["updatedReplicas", "readyReplicas", "availableReplicas"],
  limit: "replicas",
  limitName: "status.replicas",
};
const partsOfReady = {
  fields: ["availableReplicas"],
  limit: "readyReplicas",
  limitName: "readyReplicas",
};

/** Validation errors of a new status. Upstream: pkg/apis/apps/validation/validation.go. */
export function validateDeploymentStatus(
  { metadata, status = {} }: Decoded<Deployment>,
  old: Decoded<Deployment>,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateMetaUpdate(metadata, old.metadata));
  validateCounts(report, path, status, counts);
  validateAtMost(report, path, status, partsOfReplicas);
  validateAtMost(report, path, status, partsOfReady);
  validateCollisions(report, path, status, old.status);
  return report.errors;
}
