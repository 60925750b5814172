import type { JobSpec } from "#/api/batch/v1.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isLongerThan } from "#/machinery/meta/names.ts";
import { validateDomainPrefixedPath } from "#/machinery/meta/text-rules.ts";
import { findDefinition } from "#/machinery/schema/definitions.ts";
import type { PodValidationOptions } from "../../core/pod-spec/base/pod-gates.ts";
import { validatePodTemplateSpec } from "../../core/pod-spec/validate-pod-template.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import { internalForm } from "../../rules/internal-form.ts";
import { manyCompletions } from "./job-spec-rules.ts";
import { validateFailurePolicy } from "./validate-failure-policy.ts";
import { validateSuccessPolicy } from "./validate-success-policy.ts";

/** Upstream: pkg/apis/batch/validation/validation.go (validateJobSpec). */

const maxParallelism = 100_000;
const maxFailedIndexes = 100_000;
const highCompletionsLimit = 10_000;
const maxManagedByBytes = 63;
const replacementPolicies = ["Failed", "TerminatingOrFailed"];

const counts = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;

/** Checks the fields that a Job and a Job template share. */
export function validateJobSpec(
  report: FieldReport,
  path: FieldPath,
  spec: JobSpec,
  options: PodValidationOptions,
): void {
  for (const field of counts) report.nonNegative(path, field, spec[field]);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    report.required(path, "backoffLimitPerIndex", "when maxFailedIndexes is specified");
  }
  validateManagedBy(report, path, spec);
  validateCompletionMode(report, path, spec);
  if (spec.podFailurePolicy) validateFailurePolicy(report, path.child("podFailurePolicy"), spec);
  if (spec.successPolicy && spec.completionMode === "Indexed") {
    validateSuccessPolicy(report, path.child("successPolicy"), spec);
  } else if (spec.successPolicy) {
    const shown = new JsonValue(batchInternalForm("SuccessPolicy", spec.successPolicy));
    report.invalid(path, "successPolicy", shown, "requires indexed completion mode");
  }
  validateReplacementPolicy(report, path, spec);
  report.add(validatePodTemplateSpec(spec.template, path.child("template"), options));
  validateRestartPolicy(report, path.child("template").child("spec"), spec);
}

/** A value of a type of the batch group, as messages show it: in the form of upstream's internal type. */
export function batchInternalForm(type: string, value: unknown): unknown {
  const schema = findDefinition("batch/v1", type);
  if (!schema) throw new Error(`the batch group has no type ${type}`);
  return internalForm(value, schema);
}

function validateManagedBy(report: FieldReport, path: FieldPath, { managedBy }: JobSpec): void {
  if (managedBy === undefined) return;
  report.add(validateDomainPrefixedPath(path.child("managedBy"), managedBy));
  if (isLongerThan(managedBy, maxManagedByBytes)) {
    report.tooLong(path, "managedBy", maxManagedByBytes);
  }
}

function validateCompletionMode(report: FieldReport, path: FieldPath, spec: JobSpec): void {
  const { completionMode = "NonIndexed", backoffLimitPerIndex, maxFailedIndexes: failed } = spec;
  if (completionMode === "Indexed") validateIndexed(report, path, spec);
  else if (completionMode !== "NonIndexed") {
    report.notSupported(path, "completionMode", completionMode, ["NonIndexed", "Indexed"]);
  } else {
    const detail = "requires indexed completion mode";
    if (backoffLimitPerIndex !== undefined) {
      report.invalid(path, "backoffLimitPerIndex", backoffLimitPerIndex, detail);
    }
    if (failed !== undefined) report.invalid(path, "maxFailedIndexes", failed, detail);
  }
}

function validateIndexed(report: FieldReport, path: FieldPath, spec: JobSpec): void {
  const { completions, parallelism = 0, maxFailedIndexes: failed } = spec;
  if (completions === undefined) {
    report.required(path, "completions", "when completion mode is Indexed");
  }
  if (parallelism > maxParallelism) {
    const detail = `must be less than or equal to ${maxParallelism} when completion mode is Indexed`;
    report.invalid(path, "parallelism", parallelism, detail);
  }
  if (completions !== undefined && failed !== undefined && failed > completions) {
    const detail = "must be less than or equal to completions";
    report.invalid(path, "maxFailedIndexes", failed, detail);
  }
  if (failed !== undefined && failed > maxFailedIndexes) {
    const detail = `must be less than or equal to ${maxFailedIndexes}`;
    report.invalid(path, "maxFailedIndexes", failed, detail);
  }
  if ((completions ?? 0) > manyCompletions && spec.backoffLimitPerIndex !== undefined) {
    validateManyIndexes(report, path, spec);
  }
}

function validateManyIndexes(report: FieldReport, path: FieldPath, spec: JobSpec): void {
  const { parallelism = 0, maxFailedIndexes: failed } = spec;
  const above = `above ${manyCompletions}`;
  const detail = `must be less than or equal to ${highCompletionsLimit} when completions are ${above} and used with backoff limit per index`;
  if (failed === undefined) {
    report.required(path, "maxFailedIndexes", `must be specified when completions is ${above}`);
  }
  if (parallelism > highCompletionsLimit) report.invalid(path, "parallelism", parallelism, detail);
  if (failed !== undefined && failed > highCompletionsLimit) {
    report.invalid(path, "maxFailedIndexes", failed, detail);
  }
}

function validateReplacementPolicy(report: FieldReport, path: FieldPath, spec: JobSpec): void {
  const { podReplacementPolicy: policy, podFailurePolicy } = spec;
  const allowed = podFailurePolicy ? ["Failed"] : replacementPolicies;
  if (policy === undefined || allowed.includes(policy)) return;
  report.notSupported(path, "podReplacementPolicy", policy, allowed);
}

function validateRestartPolicy(report: FieldReport, path: FieldPath, spec: JobSpec): void {
  const { restartPolicy: policy = "" } = spec.template.spec;
  if (policy === "Always" || policy === "") {
    report.required(path, "restartPolicy", 'valid values: "OnFailure", "Never"');
  } else if (policy !== "OnFailure" && policy !== "Never") {
    report.notSupported(path, "restartPolicy", policy, ["OnFailure", "Never"]);
  } else if (spec.podFailurePolicy && policy !== "Never") {
    const detail = 'only "Never" is supported when podFailurePolicy is specified';
    report.invalid(path, "restartPolicy", new JsonValue(policy), detail);
  }
}
