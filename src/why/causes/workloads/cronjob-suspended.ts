import { type CronJob, cronJobs } from "#/api/batch/v1.ts";
import { cause } from "../../base/cause.ts";

export const cronJobSuspended = cause<CronJob>({
  name: "cronjob-suspended",
  layer: "controllers",
  isIntended: true,
  of: [cronJobs],
  find({ spec, metadata }) {
    if (!spec?.suspend) return undefined;
    return {
      sentence: "it is suspended (spec.suspend), so it starts no Jobs",
      fix: [`kubectl patch cronjob ${metadata.name} --type=merge -p '{"spec":{"suspend":false}}'`],
    };
  },
});
