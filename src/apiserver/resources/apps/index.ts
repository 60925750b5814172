import type { Declaration } from "../../registry/strategy.ts";
import { controllerRevision } from "./controller-revision.ts";
import { daemonSet } from "./daemon-set/daemon-set.ts";
import { deployment } from "./deployment/deployment.ts";
import { replicaSet } from "./replica-set.ts";
import { statefulSet } from "./stateful-set/stateful-set.ts";

/** The resources of apps. */
export const appsResources: readonly Declaration[] = [
  controllerRevision,
  daemonSet,
  deployment,
  replicaSet,
  statefulSet,
];
