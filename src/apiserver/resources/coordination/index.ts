import type { Declaration } from "../../registry/strategy.ts";
import { lease } from "./lease.ts";
import { leaseCandidate } from "./lease-candidate.ts";

/** The resources of coordination.k8s.io. */
export const coordinationResources: readonly Declaration[] = [lease, leaseCandidate];
