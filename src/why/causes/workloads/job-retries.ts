import { type Job, jobs } from "#/api/batch/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";
import { count } from "../../base/text.ts";

/** A Job whose Pods fail, and whose limit is not reached yet. */
export const jobRetries = cause<Job>({
  name: "job-retries",
  layer: "controllers",
  isSummary: true,
  of: [jobs],
  find({ spec, status }) {
    const { failed = 0, conditions } = status ?? {};
    if (
      failed === 0 ||
      hasCondition(conditions, "Complete") ||
      hasCondition(conditions, "Failed")
    ) {
      return undefined;
    }
    return {
      sentence: `${count(failed, "of its Pods has", "of its Pods have")} failed, and it tries again, up to ${spec?.backoffLimit ?? 6} times and each time later`,
      since: status?.startTime,
    };
  },
});
