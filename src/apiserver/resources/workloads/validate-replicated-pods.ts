import type { PodTemplateSpec } from "#/api/core/v1.ts";
import type { LabelSelector } from "#/api/meta/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelSelector } from "#/machinery/meta/label-selector.ts";
import type { PodValidationOptions } from "../core/pod-spec/base/pod-gates.ts";
import { validatePodTemplateSpec } from "../core/pod-spec/validate-pod-template.ts";
import type { FieldReport } from "../rules/field-report.ts";
import {
  isEmptySelector,
  shownSelector,
  tryCompile,
  validateMatch,
  validateRunsForever,
} from "./pod-template-rules.ts";

/** A selector, and the Pod template that it must match. */
interface Replicated {
  readonly selector?: LabelSelector;
  readonly template: PodTemplateSpec;
}

/**
 * Checks the selector and the template of a controller with a number of replicas.
 *
 * Upstream: pkg/apis/apps/validation/validation.go (ValidateReplicaSetSpec, ValidateDeploymentSpec).
 */
export function validateReplicatedPods(
  report: FieldReport,
  path: FieldPath,
  { selector, template }: Replicated,
  options: PodValidationOptions,
): void {
  if (selector === undefined) report.required(path, "selector");
  else {
    report.add(validateLabelSelector(selector, path.child("selector")));
    if (isEmptySelector(selector)) {
      const detail = "empty selector is invalid for deployment";
      report.invalid(path, "selector", shownSelector(selector), detail);
    }
  }
  const compiled = tryCompile(selector);
  if (compiled === undefined) {
    report.invalid(path, "selector", shownSelector(selector), "invalid label selector");
    return;
  }
  const at = path.child("template");
  validateMatch(report, at, template, compiled);
  report.add(validatePodTemplateSpec(template, at, options));
  validateRunsForever(report, at, template, "ReplicaSet");
}
