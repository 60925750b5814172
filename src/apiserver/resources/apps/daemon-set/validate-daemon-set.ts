import type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from "#/api/apps/v1.ts";
import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { hasInvalidLabelValue, validateLabelSelector } from "#/machinery/meta/label-selector.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import type { PodValidationOptions } from "../../core/pod-spec/base/pod-gates.ts";
import { validatePodTemplateSpec } from "../../core/pod-spec/validate-pod-template.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../../rules/object-meta-rules.ts";
import {
  intOrPercentValue,
  validateAtMostWhole,
  validateIntOrPercent,
} from "../../workloads/int-or-percent.ts";
import {
  isEmptySelector,
  shownSelector,
  tryCompile,
  validateMatch,
  validateRunsForever,
} from "../../workloads/pod-template-rules.ts";

/** Upstream: pkg/apis/apps/validation/validation.go (ValidateDaemonSet). */

const specPath = fieldPath("spec");

/** Validation errors of a new daemon set. */
export function validateDaemonSet(
  { metadata, spec }: Decoded<DaemonSet>,
  options: PodValidationOptions,
): FieldError[] {
  return [...validateNamespacedMeta(metadata, nameIsDNSSubdomain), ...validateSpec(spec, options)];
}

/** Validation errors of an update of a daemon set. */
export function validateDaemonSetUpdate(
  { metadata, spec }: Decoded<DaemonSet>,
  old: Decoded<DaemonSet>,
  options: PodValidationOptions,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateMetaUpdate(metadata, old.metadata));
  if (!deepEqual(spec.selector, old.spec.selector)) {
    report.invalid(specPath, "selector", shownSelector(spec.selector), immutableMessage);
  }
  const allowInvalidLabelValueInSelector =
    options.allowInvalidLabelValueInSelector || hasInvalidLabelValue(old.spec.selector);
  report.add(validateSpec(spec, { ...options, allowInvalidLabelValueInSelector }));
  return report.errors;
}

function validateSpec(spec: DaemonSetSpec, options: PodValidationOptions): FieldError[] {
  const report = new FieldReport();
  const { selector, template, updateStrategy = {} } = spec;
  const at = specPath.child("template");
  const allowInvalidValues = options.allowInvalidLabelValueInSelector;
  report.add(validateLabelSelector(selector, specPath.child("selector"), { allowInvalidValues }));
  const compiled = tryCompile(selector);
  if (compiled) validateMatch(report, at, template, compiled);
  if (selector && isEmptySelector(selector)) {
    const detail = "empty selector is invalid for daemonset";
    report.invalid(specPath, "selector", shownSelector(selector), detail);
  }
  report.add(validatePodTemplateSpec(template, at, options));
  validateRunsForever(report, at, template, "DaemonSet");
  report.nonNegative(specPath, "minReadySeconds", spec.minReadySeconds);
  validateStrategy(report, specPath, updateStrategy);
  report.nonNegative(specPath, "revisionHistoryLimit", spec.revisionHistoryLimit);
  return report.errors;
}

function validateStrategy(
  report: FieldReport,
  path: FieldPath,
  strategy: DaemonSetUpdateStrategy,
): void {
  if (strategy.type === "OnDelete") return;
  if (strategy.type !== "RollingUpdate") {
    report.notSupported(path, "updateStrategy", shown(strategy), ["RollingUpdate", "OnDelete"]);
    return;
  }
  const at = path.child("updateStrategy");
  if (strategy.rollingUpdate === undefined) report.required(at, "rollingUpdate");
  else validateRollingUpdate(report, at.child("rollingUpdate"), strategy.rollingUpdate);
}

function validateRollingUpdate(
  report: FieldReport,
  path: FieldPath,
  { maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDaemonSet,
): void {
  validateIntOrPercent(report, path, "maxUnavailable", maxUnavailable);
  validateIntOrPercent(report, path, "maxSurge", maxSurge);
  validateAtMostWhole(report, path, "maxUnavailable", maxUnavailable);
  validateAtMostWhole(report, path, "maxSurge", maxSurge);
  const mayBeMissing = intOrPercentValue(maxUnavailable) !== 0;
  const mayBeMore = intOrPercentValue(maxSurge) !== 0;
  if (mayBeMissing && mayBeMore) {
    const detail = "may not be set when maxUnavailable is non-zero";
    report.invalid(path, "maxSurge", new JsonValue(maxSurge), detail);
  } else if (!mayBeMissing && !mayBeMore) {
    report.required(path, "maxUnavailable", "cannot be 0 when maxSurge is 0");
  }
}

/** As messages show it: in the form of upstream's internal type. */
function shown({ type = "RollingUpdate", rollingUpdate }: DaemonSetUpdateStrategy): object {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const update = rollingUpdate ? { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge } : null;
  return { Type: type, RollingUpdate: update };
}
