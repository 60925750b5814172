import type { HorizontalPodAutoscaler } from "#/api/autoscaling/v2.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { FieldReport } from "../rules/field-report.ts";
import { validateMetaUpdate } from "../rules/object-meta-rules.ts";

const path = fieldPath("status");

/** Validation errors of a new status. Upstream: pkg/apis/autoscaling/validation/validation.go. */
export function validateAutoscalerStatus(
  { metadata, status }: Decoded<HorizontalPodAutoscaler>,
  old: Decoded<HorizontalPodAutoscaler>,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateMetaUpdate(metadata, old.metadata));
  status?.conditions?.forEach(({ observedGeneration }, index) => {
    const at = path.child("conditions").index(index);
    report.nonNegative(at, "observedGeneration", observedGeneration);
  });
  report.nonNegative(path, "currentReplicas", status?.currentReplicas);
  report.nonNegative(path, "desiredReplicas", status?.desiredReplicas);
  return report.errors;
}
