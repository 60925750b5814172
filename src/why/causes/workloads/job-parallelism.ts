import { type Job, jobs } from "#/api/batch/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";

export const jobParallelism = cause<Job>({
  name: "job-parallelism-zero",
  layer: "controllers",
  of: [jobs],
  find({ spec, status, metadata }) {
    if (spec?.parallelism !== 0 || hasCondition(status?.conditions, "Complete")) return undefined;
    return {
      sentence: "its parallelism is 0, so it starts no Pods",
      fix: [`kubectl patch job ${metadata.name} --type=merge -p '{"spec":{"parallelism":1}}'`],
    };
  },
});
