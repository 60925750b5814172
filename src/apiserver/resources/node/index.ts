import type { Declaration } from "../../registry/strategy.ts";
import { runtimeClass } from "./runtime-class.ts";

/** The resources of node.k8s.io. */
export const nodeResources: readonly Declaration[] = [runtimeClass];
