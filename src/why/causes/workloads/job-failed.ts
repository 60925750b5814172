import { type Job, jobs } from "#/api/batch/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";
import { count, oneLine } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";

/** What the reasons of a failed Job mean. */
function meaning(reason: string, { spec, status }: Job): string {
  const failed = count(status?.failed ?? 0, "failed Pod");
  if (reason === "BackoffLimitExceeded") {
    return `it has given up after ${failed}: its backoffLimit of ${spec?.backoffLimit ?? 6} is reached${keepsNoPod(spec) ? ", and its Pod is gone with its log (restartPolicy OnFailure)" : ""}`;
  }
  if (reason === "DeadlineExceeded") {
    return `it was not done within its activeDeadlineSeconds of ${spec?.activeDeadlineSeconds} s`;
  }
  if (reason === "PodFailurePolicy") return "a rule of its podFailurePolicy ended it";
  if (reason === "FailedIndexes" || reason === "MaxFailedIndexesExceeded") {
    return `the indexes ${status?.failedIndexes ?? ""} have failed`;
  }
  return "it has failed";
}

/** Whether a Job that fails deletes the Pod whose containers it has restarted. */
const keepsNoPod = (spec: Job["spec"]): boolean =>
  spec?.template?.spec?.restartPolicy === "OnFailure";

/** The Pods' own cause is deeper, and says why they failed. */
export const jobFailed = cause<Job>({
  name: "job-failed",
  layer: "controllers",
  isSummary: true,
  of: [jobs],
  find(job, view) {
    const { conditions } = job.status ?? {};
    const condition =
      findCondition(conditions, "Failed") ?? findCondition(conditions, "FailureTarget");
    if (condition?.status !== "True") return undefined;
    const { reason = "", message = "" } = condition;
    return {
      sentence: `${meaning(reason, job)} (${reason || "Failed"})${reason === "PodFailurePolicy" ? `: ${oneLine(message, 160)}` : ""}`,
      since: condition.lastTransitionTime,
      evidence: [conditionLine(condition, view.nowMs)],
      fix: ["# a failed Job is not tried again: correct its template and create it anew"],
    };
  },
});
