import { type Job, jobs } from "#/api/batch/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";

export const jobSuspended = cause<Job>({
  name: "job-suspended",
  layer: "controllers",
  isIntended: true,
  of: [jobs],
  find({ spec, status, metadata }) {
    if (!spec?.suspend) return undefined;
    return {
      sentence: "it is suspended (spec.suspend), so it starts no Pods",
      since: findCondition(status?.conditions, "Suspended")?.lastTransitionTime,
      fix: [`kubectl patch job ${metadata.name} --type=merge -p '{"spec":{"suspend":false}}'`],
    };
  },
});
