import type { Declaration } from "../../registry/strategy.ts";
import { horizontalPodAutoscaler } from "./horizontal-pod-autoscaler.ts";

/** The resources of autoscaling. */
export const autoscalingResources: readonly Declaration[] = [horizontalPodAutoscaler];
