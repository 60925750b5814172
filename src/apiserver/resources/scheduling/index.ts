import type { Declaration } from "../../registry/strategy.ts";
import { compositePodGroup } from "./composite-pod-group.ts";
import { podGroup } from "./pod-group.ts";
import { priorityClass } from "./priority-class.ts";
import { workload } from "./workload.ts";

/** The resources of scheduling.k8s.io. */
export const schedulingResources: readonly Declaration[] = [
  compositePodGroup,
  podGroup,
  priorityClass,
  workload,
];
