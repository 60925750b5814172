import type { CronJob, CronJobSpec, JobTemplateSpec } from "#/api/batch/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isLongerThan, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { CronScheduleError, parseCronSchedule } from "#/machinery/time/cron-schedule.ts";
import { isTimeZone } from "#/machinery/time/time-zones.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import type { PodValidationOptions } from "../../core/pod-spec/base/pod-gates.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../../rules/object-meta-rules.ts";
import { shownSelector } from "../../workloads/pod-template-rules.ts";
import { validateJobSpec } from "../job-spec/validate-job-spec.ts";

/**
 * Upstream: pkg/apis/batch/validation/validation.go (ValidateCronJobCreate),
 * pkg/apis/batch/v1/zz_generated.validations.go.
 */

const path = fieldPath("spec");
const policies = ["Allow", "Forbid", "Replace"];
/** Limit of the name (bytes): a Job's name adds eleven characters of time to it. */
const maxNameBytes = 52;

/** Validation errors of a new cron job. */
export function validateCronJob(
  { metadata, spec }: Decoded<CronJob>,
  options: PodValidationOptions,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateNamespacedMeta(metadata, nameIsDNSSubdomain));
  validateSpec(report, spec, undefined, options);
  const { name = "" } = metadata;
  if (isLongerThan(name, maxNameBytes)) {
    report.invalid(fieldPath("metadata"), "name", name, "must be no more than 52 characters");
  }
  if (spec.schedule === "") report.required(path, "schedule");
  return report.errors;
}

/** Validation errors of an update of a cron job. */
export function validateCronJobUpdate(
  { metadata, spec }: Decoded<CronJob>,
  old: Decoded<CronJob>,
  options: PodValidationOptions,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateMetaUpdate(metadata, old.metadata));
  validateSpec(report, spec, old.spec, options);
  if (spec.schedule === "") report.required(path, "schedule");
  return report.errors;
}

function validateSpec(
  report: FieldReport,
  spec: CronJobSpec,
  old: CronJobSpec | undefined,
  options: PodValidationOptions,
): void {
  if (spec.schedule !== "") validateSchedule(report, spec, old);
  report.nonNegative(path, "startingDeadlineSeconds", spec.startingDeadlineSeconds);
  if (!old || spec.timeZone !== old.timeZone) validateTimeZone(report, spec.timeZone);
  const { concurrencyPolicy = "Allow" } = spec;
  if (!policies.includes(concurrencyPolicy)) {
    report.notSupported(path, "concurrencyPolicy", concurrencyPolicy, policies);
  }
  validateTemplate(report, spec.jobTemplate, options);
  report.nonNegative(path, "successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit);
  report.nonNegative(path, "failedJobsHistoryLimit", spec.failedJobsHistoryLimit);
}

function validateSchedule(
  report: FieldReport,
  { schedule, timeZone }: CronJobSpec,
  old: CronJobSpec | undefined,
): void {
  try {
    parseCronSchedule(schedule);
  } catch (error) {
    if (!(error instanceof CronScheduleError)) throw error;
    report.invalid(path, "schedule", schedule, error.message);
  }
  if (!schedule.includes("TZ")) return;
  if (!old?.schedule.includes("TZ")) {
    const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    report.invalid(path, "schedule", schedule, detail);
  } else if (timeZone !== undefined) {
    const detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
    report.invalid(path, "schedule", schedule, detail);
  }
}

function validateTimeZone(report: FieldReport, zone: string | undefined): void {
  if (zone === undefined) return;
  if (zone === "") {
    report.invalid(path, "timeZone", zone, "timeZone must be nil or non-empty string");
    return;
  }
  const wellFormed = zone
    .split("/")
    .every(
      (part) => /^[A-Za-z._0-9+][A-Za-z.\-_0-9+]{0,13}$/.test(part) && !/^\.{1,2}$/.test(part),
    );
  if (!wellFormed) {
    report.invalid(path, "timeZone", zone, `unknown time zone ${zone}`);
    return;
  }
  if (zone.toLowerCase() === "local") {
    const detail =
      "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    report.invalid(path, "timeZone", zone, detail);
  }
  if (!isTimeZone(zone)) report.invalid(path, "timeZone", zone, `unknown time zone ${zone}`);
}

/** A Job made from the template gets a generated selector, so the template may not have one. */
function validateTemplate(
  report: FieldReport,
  { spec }: JobTemplateSpec,
  options: PodValidationOptions,
): void {
  const at = path.child("jobTemplate").child("spec");
  validateJobSpec(report, at, spec, options);
  if (spec.selector) {
    const shown = shownSelector(spec.selector);
    report.invalid(at, "selector", shown, "`selector` will be auto-generated");
  }
  if (spec.manualSelector) report.notSupported(at, "manualSelector", true, ["nil", "false"]);
}
