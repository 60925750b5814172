import type { PodTemplateSpec } from "#/api/core/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabels } from "#/machinery/meta/label-selector.ts";
import { validateAnnotations } from "#/machinery/meta/object-meta.ts";
import { FieldReport } from "../../rules/field-report.ts";
import type { PodValidationOptions } from "./base/pod-gates.ts";
import { validatePodAnnotations, validateProfileAnnotations } from "./pod-annotations.ts";
import { validatePodSpec } from "./validate-pod-spec.ts";

/**
 * Validation errors of a Pod template.
 *
 * Upstream: pkg/apis/core/validation/validation.go.
 */
export function validatePodTemplateSpec(
  template: PodTemplateSpec,
  path: FieldPath,
  options: PodValidationOptions,
): FieldError[] {
  const report = new FieldReport();
  const { metadata, spec } = template;
  const { annotations } = metadata;
  const specPath = path.child("spec");
  const annotated = { annotations, spec };
  report.add(validateLabels(metadata.labels, path.child("labels")));
  report.add(validateAnnotations(annotations, path.child("annotations")));
  validatePodAnnotations(report, path.child("annotations"), annotated, options);
  report.add(validatePodSpec(spec, specPath, { options }));
  validateProfileAnnotations(report, specPath, annotated);
  if (spec.ephemeralContainers?.length) {
    const detail = "ephemeral containers not allowed in pod template";
    report.forbidden(specPath, "ephemeralContainers", detail);
  }
  return report.errors;
}
