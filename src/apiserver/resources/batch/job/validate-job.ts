import type { Job, JobSpec } from "#/api/batch/v1.ts";
import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelSelector } from "#/machinery/meta/label-selector.ts";
import { isDNS1123Label, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import type { PodValidationOptions } from "../../core/pod-spec/base/pod-gates.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { validateNamespacedMeta } from "../../rules/object-meta-rules.ts";
import { shownSelector, tryCompile, validateMatch } from "../../workloads/pod-template-rules.ts";
import { validateJobSpec } from "../job-spec/validate-job-spec.ts";
import {
  controllerUidLabel,
  jobNameLabel,
  legacyControllerUidLabel,
  legacyJobNameLabel,
} from "./generate-selector.ts";

/** Upstream: pkg/apis/batch/validation/validation.go (ValidateJobCreate). */

const metadataPath = fieldPath("metadata");
const specPath = fieldPath("spec");
const labelsPath = specPath.child("template").child("metadata").child("labels");

/** Validation errors of a new job. */
export function validateJob(job: Decoded<Job>, options: PodValidationOptions): FieldError[] {
  const report = new FieldReport();
  report.add(validateNamespacedMeta(job.metadata, nameIsDNSSubdomain));
  validateGeneratedSelector(report, job);
  validateSpecWithSelector(report, job.spec, options);
  validateHostNames(report, job);
  return report.errors;
}

/** Checks a Job's spec, and that its selector matches its Pods. */
export function validateSpecWithSelector(
  report: FieldReport,
  spec: JobSpec,
  options: PodValidationOptions,
): void {
  validateJobSpec(report, specPath, spec, options);
  const { selector } = spec;
  const allowInvalidValues = options.allowInvalidLabelValueInSelector;
  if (selector === undefined) report.required(specPath, "selector");
  else {
    report.add(validateLabelSelector(selector, specPath.child("selector"), { allowInvalidValues }));
  }
  const compiled = tryCompile(selector);
  if (compiled) validateMatch(report, specPath.child("template"), spec.template, compiled);
}

/** Checks that the host names of an Indexed Job's Pods are valid. */
export function validateHostNames(report: FieldReport, { metadata, spec }: Decoded<Job>): void {
  const { completionMode, completions = 0 } = spec;
  if (completionMode !== "Indexed" || completions <= 0) return;
  const { name = "" } = metadata;
  const longest = `${name}-${completions - 1}`;
  if (isDNS1123Label(longest).length === 0) return;
  const detail = `will not able to create pod with invalid DNS label: ${longest}`;
  report.invalid(metadataPath, "name", name, detail);
}

function validateGeneratedSelector(report: FieldReport, { metadata, spec }: Decoded<Job>): void {
  if (spec.manualSelector || spec.selector === undefined) return;
  const { uid = "", name = "" } = metadata;
  const expected = {
    [legacyControllerUidLabel]: uid,
    [legacyJobNameLabel]: name,
    [controllerUidLabel]: uid,
    [jobNameLabel]: name,
  };
  const { labels = {} } = spec.template.metadata;
  for (const [key, value] of Object.entries(expected)) {
    const at = labelsPath.key(key);
    if (labels[key] === undefined) report.required(at, "", `must be '${value}'`);
    else if (labels[key] !== value) {
      report.invalid(at, "", new JsonValue(inKeyOrder(labels)), `must be '${value}'`);
    }
  }
  const selector = tryCompile(spec.selector);
  if (selector && !selector.matches(expected)) {
    const shown = shownSelector(spec.selector);
    report.invalid(specPath, "selector", shown, "`selector` not auto-generated");
  }
}

const inKeyOrder = (labels: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
