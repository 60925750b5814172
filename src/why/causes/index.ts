import type { Cause } from "../base/cause.ts";
import { admissionCauses } from "./admission/index.ts";
import { failedCondition } from "./any/failed-condition.ts";
import { failedStatus } from "./any/failed-status.ts";
import { latestWarning } from "./any/warning.ts";
import { claimCauses } from "./claims/index.ts";
import { clusterCauses } from "./cluster/index.ts";
import { containerCauses, endCauses } from "./containers/index.ts";
import { deletionCauses } from "./deletion/index.ts";
import { imageCauses } from "./image/index.ts";
import { logCauses } from "./logs/index.ts";
import { networkCauses } from "./network/index.ts";
import { nodeCauses } from "./nodes/index.ts";
import { endedPodCauses, podCauses } from "./pods/index.ts";
import { readinessCauses } from "./readiness/index.ts";
import { schedulingCauses } from "./scheduling/index.ts";
import { serviceCauses } from "./services/index.ts";
import { volumeCauses } from "./volumes/index.ts";
import { workloadCauses } from "./workloads/index.ts";

/** Every cause, in order of precedence among those of one object. */
export const causes: readonly Cause[] = [
  ...admissionCauses,
  ...schedulingCauses,
  ...volumeCauses,
  ...networkCauses,
  ...imageCauses,
  ...endedPodCauses,
  ...containerCauses,
  ...logCauses,
  ...endCauses,
  ...readinessCauses,
  ...podCauses,
  ...claimCauses,
  ...serviceCauses,
  ...nodeCauses,
  ...clusterCauses,
  ...workloadCauses,
  ...deletionCauses,
  failedCondition,
  failedStatus,
  latestWarning,
];
