import type { Cause } from "../../base/cause.ts";
import { nodesCordoned } from "./cordoned.ts";
import { deviceClaims } from "./devices.ts";
import { nodeFeatures } from "./features.ts";
import { schedulingGate } from "./gated.ts";
import { hostPort } from "./host-port.ts";
import { insufficientResource } from "./insufficient.ts";
import { noNodes } from "./no-nodes.ts";
import { noScheduler } from "./no-scheduler.ts";
import { nodeAbsent, nodeNameMismatch } from "./node-name.ts";
import { nodeSelector } from "./node-selector.ts";
import { waitsForVictims } from "./nominated.ts";
import { podAffinity } from "./pod-affinity.ts";
import { resourceClaimMissing } from "./resource-claim.ts";
import { schedulerSays } from "./scheduler-error.ts";
import { untoleratedTaint } from "./taint.ts";
import { tooManyPods } from "./too-many-pods.ts";
import { topologySpread } from "./topology-spread.ts";
import { volumeExclusive } from "./volume-exclusive.ts";
import { volumeLimits } from "./volume-limits.ts";
import { volumePlace } from "./volume-place.ts";
import { claimMissing, volumeUnbound } from "./volume-unbound.ts";

/** Of a group the first that applies counts. */
export const schedulingCauses: readonly Cause[] = [
  schedulingGate,
  nodeAbsent,
  resourceClaimMissing,
  noScheduler,
  waitsForVictims,
  noNodes,
  claimMissing,
  volumeUnbound,
  volumePlace,
  volumeLimits,
  volumeExclusive,
  insufficientResource,
  tooManyPods,
  nodesCordoned,
  untoleratedTaint,
  nodeSelector,
  nodeNameMismatch,
  hostPort,
  podAffinity,
  topologySpread,
  nodeFeatures,
  deviceClaims,
  schedulerSays,
];
