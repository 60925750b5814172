import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";
import type * as batchV1 from "./v1-definitions.ts";

export type ConcurrencyPolicy = string;

export interface CronJob extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: CronJobSpec;
  status?: CronJobStatus;
}

export interface CronJobList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: CronJob[];
}

export interface CronJobSpec {
  schedule: string;
  timeZone?: string;
  startingDeadlineSeconds?: number;
  concurrencyPolicy?: ConcurrencyPolicy;
  suspend?: boolean;
  jobTemplate: JobTemplateSpec;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
}

export interface CronJobStatus {
  active?: coreV1.ObjectReference[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
}

export interface JobTemplateSpec {
  metadata: metaV1.ObjectMeta;
  spec: batchV1.JobSpec;
}
