import type { Area } from "../case.ts";
import { deploymentCases, replicaSetCases } from "./apps-deployments.ts";
import { daemonSetCases, revisionCases, statefulSetCases } from "./apps-sets.ts";

/** Deployments, replica sets, daemon sets, stateful sets and controller revisions. */
export const apps: Area = {
  name: "apps",
  cases: [
    ...deploymentCases,
    ...replicaSetCases,
    ...daemonSetCases,
    ...statefulSetCases,
    ...revisionCases,
  ],
};
