import { type CronJob, cronJobs } from "#/api/batch/v1.ts";
import { cause } from "../../base/cause.ts";
import { suspendedText } from "../../facts/suspended.ts";

/** A person wants it so: no fault. */
export const cronJobSuspended = cause<CronJob>({
  name: "cronjob-suspended",
  layer: "controllers",
  of: [cronJobs],
  find({ spec, metadata }) {
    if (!spec?.suspend) return undefined;
    return {
      sentence: suspendedText,
      severity: "notice",
      fix: [`kubectl patch cronjob ${metadata.name} --type=merge -p '{"spec":{"suspend":false}}'`],
    };
  },
});
