import type { Declaration } from "../../registry/strategy.ts";
import { deviceClass } from "./device-class.ts";
import { deviceTaintRule } from "./device-taint-rule.ts";
import { resourceClaim } from "./resource-claim.ts";
import { resourceClaimTemplate } from "./resource-claim-template.ts";
import { resourcePoolStatusRequest } from "./resource-pool-status-request.ts";
import { resourceSlice } from "./resource-slice.ts";

/** The resources of resource.k8s.io. */
export const resourceResources: readonly Declaration[] = [
  deviceClass,
  deviceTaintRule,
  resourceClaim,
  resourceClaimTemplate,
  resourcePoolStatusRequest,
  resourceSlice,
];
