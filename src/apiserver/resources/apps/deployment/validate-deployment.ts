import type { Deployment, DeploymentSpec, DeploymentStrategy } from "#/api/apps/v1.ts";
import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import type { PodValidationOptions } from "../../core/pod-spec/base/pod-gates.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../../rules/object-meta-rules.ts";
import {
  intOrPercentValue,
  validateAtMostWhole,
  validateIntOrPercent,
} from "../../workloads/int-or-percent.ts";
import { shownSelector } from "../../workloads/pod-template-rules.ts";
import { validateReplicatedPods } from "../../workloads/validate-replicated-pods.ts";
import { rollbackRevision } from "./defaults.ts";

/** Upstream: pkg/apis/apps/validation/validation.go (ValidateDeployment). */

const specPath = fieldPath("spec");

/** Validation errors of a new deployment. */
export function validateDeployment(
  deployment: Decoded<Deployment>,
  options: PodValidationOptions,
): FieldError[] {
  return [
    ...validateNamespacedMeta(deployment.metadata, nameIsDNSSubdomain),
    ...validateSpec(deployment, options),
  ];
}

/** Validation errors of an update of a deployment. */
export function validateDeploymentUpdate(
  deployment: Decoded<Deployment>,
  old: Decoded<Deployment>,
  options: PodValidationOptions,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateMetaUpdate(deployment.metadata, old.metadata));
  report.add(validateSpec(deployment, options));
  const { selector } = deployment.spec;
  if (!deepEqual(selector, old.spec.selector)) {
    report.invalid(specPath, "selector", shownSelector(selector), immutableMessage);
  }
  return report.errors;
}

function validateSpec(
  { metadata, spec }: Decoded<Deployment>,
  options: PodValidationOptions,
): FieldError[] {
  const report = new FieldReport();
  const { minReadySeconds = 0, revisionHistoryLimit, progressDeadlineSeconds: deadline } = spec;
  report.nonNegative(specPath, "replicas", spec.replicas);
  validateReplicatedPods(report, specPath, spec, options);
  validateStrategy(report, specPath, spec);
  report.nonNegative(specPath, "minReadySeconds", minReadySeconds);
  report.nonNegative(specPath, "revisionHistoryLimit", revisionHistoryLimit);
  report.nonNegative(
    specPath.child("rollback"),
    "version",
    Number(rollbackRevision(metadata) ?? 0),
  );
  report.nonNegative(specPath, "progressDeadlineSeconds", deadline);
  if (deadline !== undefined && deadline <= minReadySeconds) {
    const detail = "must be greater than minReadySeconds";
    report.invalid(specPath, "progressDeadlineSeconds", deadline, detail);
  }
  return report.errors;
}

function validateStrategy(
  report: FieldReport,
  path: FieldPath,
  { strategy = {} }: DeploymentSpec,
): void {
  const at = path.child("strategy");
  const { type, rollingUpdate } = strategy;
  if (type === "RollingUpdate") validateRollingUpdate(report, at.child("rollingUpdate"), strategy);
  else if (type !== "Recreate") {
    report.notSupported(path, "strategy", shown(strategy), ["Recreate", "RollingUpdate"]);
  } else if (rollingUpdate !== undefined) {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    report.forbidden(at, "rollingUpdate", detail);
  }
}

function validateRollingUpdate(
  report: FieldReport,
  path: FieldPath,
  { rollingUpdate = {} }: DeploymentStrategy,
): void {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  validateIntOrPercent(report, path, "maxUnavailable", maxUnavailable);
  validateIntOrPercent(report, path, "maxSurge", maxSurge);
  if (intOrPercentValue(maxUnavailable) === 0 && intOrPercentValue(maxSurge) === 0) {
    const detail = "may not be 0 when `maxSurge` is 0";
    report.invalid(path, "maxUnavailable", new JsonValue(maxUnavailable), detail);
  }
  validateAtMostWhole(report, path, "maxUnavailable", maxUnavailable);
}

/** As messages show it: in the form of upstream's internal type. */
function shown({ type = "RollingUpdate", rollingUpdate }: DeploymentStrategy): object {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const update = rollingUpdate ? { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge } : null;
  return { Type: type, RollingUpdate: update };
}
