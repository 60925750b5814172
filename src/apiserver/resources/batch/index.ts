import type { Declaration } from "../../registry/strategy.ts";
import { cronJob } from "./cron-job/cron-job.ts";
import { job } from "./job/job.ts";

/** The resources of batch. */
export const batchResources: readonly Declaration[] = [cronJob, job];
