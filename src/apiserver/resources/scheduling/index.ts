import type { Declaration } from "../../registry/strategy.ts";
import { priorityClass } from "./priority-class.ts";

/** The resources of scheduling.k8s.io. */
export const schedulingResources: readonly Declaration[] = [priorityClass];
