import type { Declaration } from "../../registry/strategy.ts";
import { flowSchema } from "./flow-schema.ts";
import { priorityLevelConfiguration } from "./priority-level-configuration.ts";

/** The resources of flowcontrol.apiserver.k8s.io. */
export const flowcontrolResources: readonly Declaration[] = [
  flowSchema,
  priorityLevelConfiguration,
];
