import type { Cause } from "../../base/cause.ts";
import { controllerBehind } from "./controller-behind.ts";
import { cronJobForbid } from "./cronjob-forbid.ts";
import { cronJobMissed } from "./cronjob-missed.ts";
import { cronJobNever } from "./cronjob-never.ts";
import { cronJobReplaced } from "./cronjob-replaced.ts";
import { cronJobSchedule } from "./cronjob-schedule.ts";
import { cronJobSuspended } from "./cronjob-suspended.ts";
import { daemonSetNoNode } from "./daemonset-no-node.ts";
import { deploymentPaused } from "./deployment-paused.ts";
import { jobFailed } from "./job-failed.ts";
import { jobManaged } from "./job-managed.ts";
import { jobParallelism } from "./job-parallelism.ts";
import { jobRetries } from "./job-retries.ts";
import { jobSidecar } from "./job-sidecar.ts";
import { jobSuspended } from "./job-suspended.ts";
import { minReadySeconds } from "./min-ready.ts";
import { updateOnDelete } from "./on-delete.ts";
import { podNameTaken } from "./pod-name-taken.ts";
import { progressDeadline } from "./progress-deadline.ts";
import { rolloutPartition } from "./rollout-partition.ts";
import { scaledToZero } from "./scaled-to-zero.ts";
import { governingServiceMissing } from "./service-missing.ts";
import { statefulSetOrder } from "./statefulset-order.ts";

export const workloadCauses: readonly Cause[] = [
  controllerBehind,
  deploymentPaused,
  scaledToZero,
  jobSuspended,
  jobManaged,
  jobSidecar,
  jobParallelism,
  cronJobSuspended,
  cronJobSchedule,
  cronJobNever,
  cronJobMissed,
  cronJobForbid,
  cronJobReplaced,
  jobFailed,
  jobRetries,
  daemonSetNoNode,
  updateOnDelete,
  rolloutPartition,
  governingServiceMissing,
  podNameTaken,
  statefulSetOrder,
  minReadySeconds,
  progressDeadline,
];
