import type { Job, JobStatus } from "#/api/batch/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { parseTime } from "#/machinery/time/time.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { validateMetaUpdate } from "../../rules/object-meta-rules.ts";
import { countIndexes, IndexListError, overlap } from "../job-spec/index-list.ts";
import { batchInternalForm } from "../job-spec/validate-job-spec.ts";

/**
 * Other controllers than the built-in one may write a Job's status, so it must be consistent; only changed parts are
 * checked.
 *
 * Upstream: pkg/apis/batch/validation/validation.go (ValidateJobUpdateStatus), pkg/registry/batch/job/strategy.go.
 */
const path = fieldPath("status");
const counts = ["active", "succeeded", "failed", "ready", "terminating"] as const;

/** A status before and after an update, and values derived from it. */
class Transition {
  readonly job: Decoded<Job>;
  readonly old: Decoded<Job>;
  readonly status: JobStatus;
  readonly before: JobStatus;

  constructor(job: Decoded<Job>, old: Decoded<Job>) {
    this.job = job;
    this.old = old;
    this.status = job.status ?? {};
    this.before = old.status ?? {};
  }

  is(type: string): boolean {
    return hasCondition(this.status.conditions, type);
  }

  was(type: string): boolean {
    return hasCondition(this.before.conditions, type);
  }

  /** Whether a condition was added or removed. */
  turned(type: string): boolean {
    return this.is(type) !== this.was(type);
  }

  get isFinished(): boolean {
    return this.is("Complete") || this.is("Failed");
  }

  get finishChanged(): boolean {
    return this.isFinished !== (this.was("Complete") || this.was("Failed"));
  }

  changed(...fields: readonly (keyof JobStatus)[]): boolean {
    return fields.some((field) => !deepEqual(this.status[field], this.before[field]));
  }
}

/** Validation errors of a new status; strict is for clusters where other controllers may manage Jobs. */
export function validateJobStatus(
  job: Decoded<Job>,
  old: Decoded<Job>,
  { strict }: { readonly strict: boolean },
): FieldError[] {
  const report = new FieldReport();
  const change = new Transition(job, old);
  report.add(validateMetaUpdate(job.metadata, old.metadata));
  for (const field of counts) report.nonNegative(path, field, change.status[field]);
  validateUncounted(report, change.status);
  if (strict) {
    validateConditionsAndTimes(report, change);
    validateFinished(report, change);
    validateIndexes(report, change);
    validatePods(report, change);
  }
  validateSuccessCriteria(report, change);
  if (strict) validateProgress(report, change);
  if (change.was("SuccessCriteriaMet") && !change.is("SuccessCriteriaMet")) {
    conditions(report, "cannot disable the SuccessCriteriaMet=True condition");
  }
  if (
    change.was("Complete") &&
    change.turned("SuccessCriteriaMet") &&
    change.is("SuccessCriteriaMet")
  ) {
    const detail =
      "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
    conditions(report, detail);
  }
  return report.errors;
}

function conditions(report: FieldReport, detail: string): void {
  report.invalid(path, "conditions", undefined, detail);
}

function validateUncounted(
  report: FieldReport,
  { uncountedTerminatedPods: pods }: JobStatus,
): void {
  const seen = new Set<string>();
  for (const list of ["succeeded", "failed"] as const) {
    pods?.[list]?.forEach((uid, index) => {
      const at = path.child("uncountedTerminatedPods").child(list).index(index);
      if (uid === "") report.invalid(at, "", uid, "must not be empty");
      else if (seen.has(uid)) report.duplicate(at, "", uid);
      seen.add(uid);
    });
  }
}

function validateConditionsAndTimes(report: FieldReport, change: Transition): void {
  const { startTime, completionTime } = change.status;
  const complete = change.is("Complete");
  const completeOr = (other: boolean): boolean => change.turned("Complete") || other;
  if (completeOr(change.turned("Failed")) && complete && change.is("Failed")) {
    conditions(report, "cannot set Complete=True and Failed=true conditions");
  }
  if (completeOr(change.turned("FailureTarget")) && complete && change.is("FailureTarget")) {
    conditions(report, "cannot set Complete=True and FailureTarget=true conditions");
  }
  const timeChanged = change.changed("completionTime");
  if (completeOr(timeChanged) && completionTime !== undefined && !complete) {
    const detail = "cannot set completionTime when there is no Complete=True condition";
    report.invalid(path, "completionTime", completionTime, detail);
  }
  if (completeOr(timeChanged) && completionTime === undefined && complete) {
    report.required(path, "completionTime", "completionTime is required for Complete jobs");
  }
  if (change.changed("startTime", "completionTime") && startTime && completionTime) {
    if (parseTime(completionTime) < parseTime(startTime)) {
      const detail = "must be equal to or after `startTime`";
      report.invalid(path, "completionTime", completionTime, detail);
    }
  }
}

function validateFinished(report: FieldReport, change: Transition): void {
  const { status, isFinished, finishChanged, job } = change;
  const { active = 0, startTime, uncountedTerminatedPods: pods } = status;
  const checkFailed = change.turned("Failed") || change.changed("failedIndexes");
  if (checkFailed && change.is("Failed") && !change.is("FailureTarget")) {
    conditions(report, "cannot set Failed=True condition without the FailureTarget=true condition");
  }
  const checkComplete = change.turned("Complete") || change.turned("SuccessCriteriaMet");
  if (checkComplete && change.is("Complete") && !change.is("SuccessCriteriaMet")) {
    const detail =
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition";
    conditions(report, detail);
  }
  if ((finishChanged || change.changed("active")) && active > 0 && isFinished) {
    report.invalid(path, "active", active, "active>0 is invalid for finished job");
  }
  const needsNoStart = job.spec.suspend === true && job.spec.completions === 0;
  const checkStart = (finishChanged || change.changed("startTime")) && !needsNoStart;
  if (checkStart && startTime === undefined && isFinished) {
    report.required(path, "startTime", "startTime is required for finished job");
  }
  const uncounted = (pods?.failed?.length ?? 0) + (pods?.succeeded?.length ?? 0);
  const checkPods = finishChanged || change.changed("uncountedTerminatedPods");
  if (checkPods && isFinished && uncounted > 0) {
    const shown = new JsonValue(batchInternalForm("UncountedTerminatedPods", pods));
    report.invalid(path, "uncountedTerminatedPods", shown, "must be empty for finished job");
  }
}

function validateIndexes(report: FieldReport, change: Transition): void {
  const { completions, completionMode, backoffLimitPerIndex } = change.job.spec;
  const { completedIndexes = "", failedIndexes } = change.status;
  const completedChanged = completedIndexes !== (change.before.completedIndexes ?? "");
  const failedChanged = change.changed("failedIndexes");
  const check = (field: "completedIndexes" | "failedIndexes", text: string): void => {
    try {
      countIndexes(text, completions ?? 0);
    } catch (error) {
      if (!(error instanceof IndexListError)) throw error;
      report.invalid(path, field, text, `error parsing ${field}: ${error.message}`);
    }
  };
  if (completedChanged && completions !== undefined) check("completedIndexes", completedIndexes);
  const perIndex = backoffLimitPerIndex !== undefined;
  if (failedChanged && completions !== undefined && perIndex && failedIndexes !== undefined) {
    check("failedIndexes", failedIndexes);
  }
  if (completedChanged && completedIndexes !== "" && completionMode !== "Indexed") {
    const detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
    report.invalid(path, "completedIndexes", completedIndexes, detail);
  }
  if (failedIndexes === undefined) return;
  if (failedChanged && !perIndex) {
    const detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
    report.invalid(path, "failedIndexes", failedIndexes, detail);
  }
  if (!(failedChanged || completedChanged) || completions === undefined) return;
  const both = overlap(completedIndexes, failedIndexes, completions);
  if (both === undefined) return;
  const detail = `failedIndexes and completedIndexes overlap at index: ${both}`;
  report.invalid(path, "failedIndexes", failedIndexes, detail);
}

function validatePods(report: FieldReport, change: Transition): void {
  const { active = 0, ready, terminating = 0 } = change.status;
  const checkTerminating = change.finishChanged || change.changed("terminating");
  if (checkTerminating && terminating > 0 && change.isFinished) {
    report.invalid(path, "terminating", terminating, "terminating>0 is invalid for finished job");
  }
  const checkReady = change.changed("ready") || active !== (change.before.active ?? 0);
  if (checkReady && ready !== undefined && ready > active) {
    report.invalid(path, "ready", ready, "cannot set more ready pods than active");
  }
}

function validateSuccessCriteria(report: FieldReport, change: Transition): void {
  const met = change.is("SuccessCriteriaMet");
  if (met && change.is("Failed")) {
    conditions(report, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
  }
  if (met && change.is("FailureTarget")) {
    conditions(report, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  }
  if (change.job.spec.successPolicy && !met && change.is("Complete")) {
    const detail =
      "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True";
    conditions(report, detail);
  }
}

function validateProgress(report: FieldReport, change: Transition): void {
  const { status, before, job } = change;
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (change.was(type) && !change.is(type)) {
      conditions(report, `cannot disable the terminal ${type}=True condition`);
    }
  }
  const { failed = 0, succeeded = 0, completionTime, startTime } = status;
  if (failed < (before.failed ?? 0)) {
    report.invalid(path, "failed", failed, "cannot decrease the failed counter");
  }
  const elastic =
    job.spec.completionMode === "Indexed" && job.spec.completions === job.spec.parallelism;
  if (!elastic && succeeded < (before.succeeded ?? 0)) {
    report.invalid(path, "succeeded", succeeded, "cannot decrease the succeeded counter");
  }
  if (completionTime && before.completionTime && completionTime !== before.completionTime) {
    report.invalid(path, "completionTime", completionTime, immutableMessage);
  }
  const resuming = change.was("Suspended") && hasCondition(status.conditions, "Suspended", "False");
  const fixed = before.startTime !== undefined && !job.spec.suspend && !resuming;
  if (fixed && startTime !== before.startTime) {
    const detail = "field is immutable for unsuspended job once set";
    report.invalid(path, "startTime", new JsonValue(startTime ?? null), detail);
  }
}
