import type { Job, JobSpec } from "#/api/batch/v1.ts";
import type { PodSpec, PodTemplateSpec } from "#/api/core/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { hasInvalidLabelValue } from "#/machinery/meta/label-selector.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import type { PodValidationOptions } from "../../core/pod-spec/base/pod-gates.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { coreInternalForm } from "../../rules/internal-form.ts";
import { validateMetaUpdate } from "../../rules/object-meta-rules.ts";
import { shownSelector } from "../../workloads/pod-template-rules.ts";
import { batchInternalForm } from "../job-spec/validate-job-spec.ts";
import { validateHostNames, validateSpecWithSelector } from "./validate-job.ts";

/** Upstream: pkg/apis/batch/validation/validation.go (ValidateJobUpdate), pkg/registry/batch/job/strategy.go. */

const path = fieldPath("spec");

/** Validation errors of an update of a Job: most fields are immutable. */
export function validateJobUpdate(
  job: Decoded<Job>,
  old: Decoded<Job>,
  options: PodValidationOptions,
): FieldError[] {
  const report = new FieldReport();
  const { spec } = job;
  report.add(validateMetaUpdate(job.metadata, old.metadata));
  const allowInvalidLabelValueInSelector =
    options.allowInvalidLabelValueInSelector || hasInvalidLabelValue(old.spec.selector);
  validateSpecWithSelector(report, spec, { ...options, allowInvalidLabelValueInSelector });
  validateCompletions(report, spec, old.spec);
  const same = (field: keyof JobSpec, shown: unknown = spec[field]): void => {
    if (deepEqual(spec[field], old.spec[field])) return;
    report.invalid(path, field, new JsonValue(shown ?? null), immutableMessage);
  };
  same("selector", shownSelector(spec.selector).value);
  validateTemplate(report, job, old, options);
  same("completionMode");
  same("podFailurePolicy", formOf("PodFailurePolicy", spec.podFailurePolicy));
  same("backoffLimitPerIndex");
  same("managedBy");
  same("successPolicy", formOf("SuccessPolicy", spec.successPolicy));
  validateHostNames(report, job);
  return report.errors;
}

const formOf = (type: string, value: unknown): unknown =>
  value === undefined ? null : batchInternalForm(type, value);

function validateCompletions(report: FieldReport, spec: JobSpec, old: JobSpec): void {
  const { completions, completionMode, parallelism } = spec;
  if (completions === old.completions) return;
  if (completionMode !== "Indexed") {
    report.invalid(path, "completions", new JsonValue(completions ?? null), immutableMessage);
  } else if (completions !== undefined && completions !== parallelism) {
    const detail = `can only be modified in tandem with ${path.child("parallelism")}`;
    report.invalid(path, "completions", completions, detail);
  }
}

/** A suspended Job without Pods may change its scheduling directives and its resources. */
function validateTemplate(
  report: FieldReport,
  { spec }: Decoded<Job>,
  old: Decoded<Job>,
  { enabled }: PodValidationOptions,
): void {
  const suspended = old.spec.suspend === true;
  const notStarted = old.status?.startTime === undefined;
  const paused = hasCondition(old.status?.conditions, "Suspended");
  const idle = suspended && (notStarted || paused) && !old.status?.active;
  const mayMove = enabled("MutableSchedulingDirectivesForSuspendedJobs")
    ? idle
    : suspended && notStarted;
  const before = mayMove ? withSchedulingOf(spec.template, old.spec.template) : old.spec.template;
  if (idle && enabled("MutablePodResourcesForSuspendedJobs")) {
    const after = spec.template.spec;
    if (deepEqual(after, withResourcesOf(after, before.spec))) return;
    const shown = new JsonValue(coreInternalForm("PodSpec", after));
    report.invalid(path, "template.spec", shown, immutableMessage);
  } else if (!deepEqual(spec.template, before)) {
    const shown = new JsonValue(coreInternalForm("PodTemplateSpec", spec.template));
    report.invalid(path, "template", shown, immutableMessage);
  }
}

/** The old template with the scheduling directives of the new one. */
function withSchedulingOf(template: PodTemplateSpec, old: PodTemplateSpec): PodTemplateSpec {
  const copy = deepCopy(old);
  const { affinity } = template.spec;
  const others = { ...copy.spec.affinity };
  delete others.nodeAffinity;
  const nodeAffinity = affinity?.nodeAffinity;
  const merged = nodeAffinity ? { ...others, nodeAffinity } : others;
  if (affinity !== undefined || Object.keys(others).length > 0) copy.spec.affinity = merged;
  else delete copy.spec.affinity;
  for (const field of ["nodeSelector", "tolerations", "schedulingGates"] as const) {
    take(copy.spec, template.spec, field);
  }
  take(copy.metadata, template.metadata, "annotations");
  take(copy.metadata, template.metadata, "labels");
  return copy;
}

function take<T extends object>(target: T, source: T, field: keyof T): void {
  if (source[field] === undefined) delete target[field];
  else target[field] = source[field];
}

/** The old Pod spec with the resources of the new one, by container name. */
function withResourcesOf(pod: PodSpec, old: PodSpec): PodSpec {
  const copy = deepCopy(old);
  for (const list of ["containers", "initContainers"] as const) {
    const [after = [], before = []] = [pod[list], copy[list]];
    if (after.length !== before.length) continue;
    before.forEach((container, index) => {
      const counterpart = after[index];
      if (counterpart?.name === container.name) take(container, counterpart, "resources");
    });
  }
  return copy;
}
