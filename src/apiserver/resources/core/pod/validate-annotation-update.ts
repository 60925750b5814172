import type { Pod } from "#/api/core/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import {
  type AnnotationOptions,
  appArmorPrefix,
  mirrorAnnotation,
  validatePodAnnotations,
} from "../pod-spec/pod-annotations.ts";

const path = fieldPath("metadata", "annotations");

/**
 * Checks the annotations on an update of a Pod: some are immutable.
 *
 * Upstream: pkg/apis/core/validation/validation.go.
 */
export function validateAnnotationUpdate(
  report: FieldReport,
  { metadata, spec }: Pod,
  old: Pod,
  options: AnnotationOptions,
): void {
  const { annotations = {} } = metadata;
  const before = old.metadata.annotations ?? {};
  for (const key in before) {
    if (annotations[key] === before[key]) continue;
    const name = fixedAnnotation(key);
    if (name) report.forbidden(path.key(key), "", `may not remove or update ${name}`);
  }
  for (const key in annotations) {
    if (before[key] !== undefined) continue;
    const name = fixedAnnotation(key);
    if (name) report.forbidden(path.key(key), "", `may not add ${name}`);
  }
  validatePodAnnotations(report, path, { annotations: metadata.annotations, spec }, options);
}

function fixedAnnotation(key: string): string | undefined {
  if (key.startsWith(appArmorPrefix)) return "AppArmor annotations";
  return key === mirrorAnnotation ? "mirror pod annotation" : undefined;
}
