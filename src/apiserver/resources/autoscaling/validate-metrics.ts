import type {
  ContainerResourceMetricSource,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from "#/api/autoscaling/v2.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1123Label, isPathSegmentName } from "#/machinery/meta/names.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import type { FieldReport } from "../rules/field-report.ts";
import {
  isExtendedResource,
  isNativeResource,
  isStandardContainerResource,
  resourceNameProblems,
} from "../rules/resource-names.ts";
import { type ReferenceRules, validateReference } from "./validate-reference.ts";

/** Rules for metrics of an autoscaler. Upstream: pkg/apis/autoscaling/validation/validation.go. */
export interface MetricRules {
  readonly reference: ReferenceRules;
  /** The minimum may be zero Pods, so at least one metric must be available without Pods. */
  readonly toZero: boolean;
}

const types = ["ContainerResource", "External", "Object", "Pods", "Resource"];
const targetTypes = ["Utilization", "Value", "AverageValue"];

/** Fields of sources, in upstream's order, and the metric type of each. */
const sources = {
  object: "Object",
  external: "External",
  pods: "Pods",
  resource: "Resource",
  containerResource: "ContainerResource",
} as const;
const sourceFields = Object.keys(sources) as (keyof typeof sources)[];

/** Checks all metrics of an autoscaler. */
export function validateMetrics(
  report: FieldReport,
  path: FieldPath,
  metrics: readonly MetricSpec[],
  { reference, toZero }: MetricRules,
): void {
  metrics.forEach((metric, index) => {
    validateMetric(report, path.index(index), metric, reference);
  });
  if (!toZero || metrics.some(({ type }) => type === "Object" || type === "External")) return;
  const detail =
    "must specify at least one Object or External metric to support scaling to zero replicas";
  report.forbidden(path, "", detail);
}

function validateMetric(
  report: FieldReport,
  path: FieldPath,
  metric: MetricSpec,
  rules: ReferenceRules,
): void {
  const { type } = metric;
  if (type === "") report.required(path, "type", "must specify a metric source type");
  if (!types.includes(type)) report.notSupported(path, "type", type, types);
  const present = sourceFields.filter((field) => metric[field] !== undefined);
  const [first] = present;
  if (first) validateSource(report, path.child(first), metric, { field: first, rules });
  const expected = sourceFields.find((field) => sources[field] === type);
  if (expected && metric[expected] === undefined) {
    report.required(path, expected, "must populate information for the given metric source");
  }
  if (present.length === 1) return;
  for (const field of present) {
    if (field === expected) continue;
    report.forbidden(path, field, "must populate the given metric source only");
  }
}

function validateSource(
  report: FieldReport,
  path: FieldPath,
  { object, external, pods, resource, containerResource }: MetricSpec,
  { field, rules }: { readonly field: keyof typeof sources; readonly rules: ReferenceRules },
): void {
  if (field === "object" && object) validateObject(report, path, object, rules);
  else if (field === "external" && external) validateExternal(report, path, external);
  else if (field === "pods" && pods) validatePods(report, path, pods);
  else if (field === "resource" && resource) validateResource(report, path, resource);
  else if (containerResource) validateContainerResource(report, path, containerResource);
}

function validateObject(
  report: FieldReport,
  path: FieldPath,
  { describedObject, metric, target }: ObjectMetricSource,
  rules: ReferenceRules,
): void {
  validateReference(report, path.child("describedObject"), describedObject, rules);
  validateIdentifier(report, path.child("metric"), metric);
  validateTarget(report, path.child("target"), target);
  if (target.value !== undefined || target.averageValue !== undefined) return;
  const detail = "must set either a target value or averageValue";
  report.required(path.child("target"), "averageValue", detail);
}

function validateExternal(
  report: FieldReport,
  path: FieldPath,
  { metric, target }: ExternalMetricSource,
): void {
  validateIdentifier(report, path.child("metric"), metric);
  validateTarget(report, path.child("target"), target);
  const { value, averageValue } = target;
  if (value === undefined && averageValue === undefined) {
    const detail = "must set either a target value for metric or a per-pod target";
    report.required(path.child("target"), "averageValue", detail);
  } else if (value !== undefined && averageValue !== undefined) {
    const detail = "may not set both a target value for metric and a per-pod target";
    report.forbidden(path.child("target"), "value", detail);
  }
}

function validatePods(
  report: FieldReport,
  path: FieldPath,
  { metric, target }: PodsMetricSource,
): void {
  validateIdentifier(report, path.child("metric"), metric);
  validateTarget(report, path.child("target"), target);
  if (target.averageValue !== undefined) return;
  const detail = "must specify a positive target averageValue";
  report.required(path.child("target"), "averageValue", detail);
}

function validateContainerResource(
  report: FieldReport,
  path: FieldPath,
  { name, container, target }: ContainerResourceMetricSource,
): void {
  if (name === "") report.required(path, "name", "must specify a resource name");
  else validateContainerResourceName(report, path, name);
  if (container === "") report.required(path, "container", "must specify a container");
  else report.problems(path, "container", container, isDNS1123Label(container));
  validateUse(report, path.child("target"), target);
}

function validateContainerResourceName(report: FieldReport, path: FieldPath, name: string): void {
  report.problems(path, "name", new JsonValue(name), resourceNameProblems(name));
  if (!name.includes("/")) {
    if (isStandardContainerResource(name)) return;
    const detail = "must be a standard resource for containers";
    report.invalid(path, "name", new JsonValue(name), detail);
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    const detail = "doesn't follow extended resource name standard";
    report.invalid(path, "name", new JsonValue(name), detail);
  }
}

function validateResource(
  report: FieldReport,
  path: FieldPath,
  { name, target }: ResourceMetricSource,
): void {
  if (name === "") report.required(path, "name", "must specify a resource name");
  validateUse(report, path.child("target"), target);
}

/** Checks the target of a resource metric: an amount, or a percentage of the request. */
function validateUse(report: FieldReport, path: FieldPath, target: MetricTarget): void {
  validateTarget(report, path, target);
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined) {
    const detail = "must set either a target raw value or a target utilization";
    report.required(path, "averageUtilization", detail);
  } else if (averageUtilization !== undefined && averageValue !== undefined) {
    const detail = "may not set both a target raw value and a target utilization";
    report.forbidden(path, "averageValue", detail);
  }
}

function validateTarget(report: FieldReport, path: FieldPath, target: MetricTarget): void {
  const { type, averageUtilization } = target;
  if (type === "") report.required(path, "type", "must specify a metric target type");
  if (!targetTypes.includes(type)) {
    const detail = "must be either Utilization, Value, or AverageValue";
    report.invalid(path, "type", new JsonValue(type), detail);
  }
  for (const field of ["value", "averageValue"] as const) {
    const amount = target[field];
    if (amount === undefined || parseQuantity(amount).sign > 0) continue;
    report.invalid(path, field, new JsonValue(amount), "must be positive");
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    report.invalid(path, "averageUtilization", averageUtilization, "must be greater than 0");
  }
}

function validateIdentifier(
  report: FieldReport,
  path: FieldPath,
  { name }: MetricIdentifier,
): void {
  if (name === "") report.required(path, "name", "must specify a metric name");
  else report.problems(path, "name", name, isPathSegmentName(name));
}
