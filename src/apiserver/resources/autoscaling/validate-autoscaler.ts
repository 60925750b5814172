import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
} from "#/api/autoscaling/v2.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain, negativeMessage } from "#/machinery/meta/names.ts";
import type { Decoded, RequestContext } from "../../registry/strategy.ts";
import { FieldReport } from "../rules/field-report.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";
import { validateBehavior } from "./validate-behavior.ts";
import { type MetricRules, validateMetrics } from "./validate-metrics.ts";
import { apiVersionProblem, type ReferenceRules, validateReference } from "./validate-reference.ts";

/**
 * Upstream: pkg/apis/autoscaling/validation/validation.go,
 * pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go.
 */
type Autoscaler = Decoded<HorizontalPodAutoscaler>;

const path = fieldPath("spec");

/** Validation errors of a new autoscaler. */
export function validateAutoscaler(object: Autoscaler, context: RequestContext): FieldError[] {
  const report = new FieldReport();
  report.add(validateNamespacedMeta(object.metadata, nameIsDNSSubdomain));
  validateSpec(report, object.spec, undefined);
  validateReplicas(report, object.spec, mayBeZero(context));
  return report.errors;
}

/** Validation errors of an update of an autoscaler. */
export function validateAutoscalerUpdate(
  object: Autoscaler,
  old: Autoscaler,
  context: RequestContext,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateMetaUpdate(object.metadata, old.metadata));
  validateSpec(report, object.spec, old.spec);
  validateReplicas(report, object.spec, mayBeZero(context) || old.spec.minReplicas === 0);
  return report.errors;
}

const mayBeZero = (context: RequestContext): boolean => context.enabled("HPAScaleToZero");

function validateSpec(
  report: FieldReport,
  spec: HorizontalPodAutoscalerSpec,
  old: HorizontalPodAutoscalerSpec | undefined,
): void {
  const { minReplicas, maxReplicas, scaleTargetRef, metrics = [], behavior } = spec;
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    const detail = "must be greater than or equal to `minReplicas`";
    report.invalid(path, "maxReplicas", maxReplicas, detail);
  }
  const rules = targetRules(scaleTargetRef, old?.scaleTargetRef);
  validateReference(report, path.child("scaleTargetRef"), scaleTargetRef, rules);
  validateMetrics(report, path.child("metrics"), metrics, metricRules(spec, old));
  if (behavior) validateBehavior(report, path.child("behavior"), behavior);
}

function targetRules(
  { apiVersion, kind }: CrossVersionObjectReference,
  old: CrossVersionObjectReference | undefined,
): ReferenceRules {
  const same = old && old.apiVersion === apiVersion && old.kind === kind;
  if (same) return { allowInvalidVersion: true, allowNoGroup: false };
  return { allowInvalidVersion: false, allowNoGroup: kind === "ReplicationController" };
}

function metricRules(
  { minReplicas }: HorizontalPodAutoscalerSpec,
  old: HorizontalPodAutoscalerSpec | undefined,
): MetricRules {
  const strict: ReferenceRules = { allowInvalidVersion: false, allowNoGroup: true };
  const wasInvalid = (old?.metrics ?? []).some(
    ({ type, object }) =>
      type === "Object" && object && apiVersionProblem(object.describedObject, strict),
  );
  return {
    reference: wasInvalid ? { ...strict, allowInvalidVersion: true } : strict,
    toZero: minReplicas === 0,
  };
}

/** Rules that upstream declares with the type. */
function validateReplicas(
  report: FieldReport,
  { minReplicas, maxReplicas }: HorizontalPodAutoscalerSpec,
  zeroAllowed: boolean,
): void {
  const least = zeroAllowed ? 0 : 1;
  if (minReplicas !== undefined && minReplicas < least) {
    const detail = zeroAllowed ? negativeMessage : "must be greater than or equal to 1";
    report.invalid(path, "minReplicas", minReplicas, detail);
  }
  if (maxReplicas === 0) report.required(path, "maxReplicas");
  else if (maxReplicas < 0) {
    report.invalid(path, "maxReplicas", maxReplicas, "must be greater than or equal to 1");
  }
}
