import { type Job, jobs } from "#/api/batch/v1.ts";
import { conditionsOf } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { ageMs } from "../../base/text.ts";

/** Limit of the time (ms) in which a controller takes up a Job without being remarkable. */
const takeUpMs = 15_000;
const jobController = "kubernetes.io/job-controller";

/** A Job that another controller is to run. */
export const jobManaged = cause<Job>({
  name: "job-managed-by-other",
  layer: "controllers",
  of: [jobs],
  find(job, view) {
    const { managedBy = jobController } = job.spec ?? {};
    if (managedBy === jobController || job.status?.startTime || conditionsOf(job).length > 0)
      return undefined;
    if (ageMs(job.metadata.creationTimestamp, view.nowMs) < takeUpMs) return undefined;
    return {
      sentence: `it is left to the controller "${managedBy}" (spec.managedBy), which has not taken it up: it does not run`,
      since: job.metadata.creationTimestamp,
      fix: ["# start that controller, or create the Job without managedBy"],
    };
  },
});
