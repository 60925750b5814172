import type { HorizontalPodAutoscaler, HPAScalingRules } from "#/api/autoscaling/v2.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { dropRoundTripAnnotations } from "./round-trip-annotations.ts";

/** Default target: percentage of the requested CPU. */
export const defaultCPUUtilization = 80;

/** Sets the defaults of an autoscaler. Upstream: pkg/apis/autoscaling/v2/defaults.go, conversion.go. */
export function setAutoscalerDefaults({ metadata, spec }: Decoded<HorizontalPodAutoscaler>): void {
  dropRoundTripAnnotations(metadata);
  spec.minReplicas ??= 1;
  if ((spec.metrics?.length ?? 0) === 0) {
    const target = { type: "Utilization", averageUtilization: defaultCPUUtilization };
    spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  const { behavior } = spec;
  if (behavior === undefined) return;
  behavior.scaleUp = { ...scaleUpRules(), ...behavior.scaleUp };
  behavior.scaleDown = { ...scaleDownRules(), ...behavior.scaleDown };
}

const periodSeconds = 15;

const scaleUpRules = (): HPAScalingRules => ({
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds },
    { type: "Percent", value: 100, periodSeconds },
  ],
});

/** The stabilization window has no default here: it is a setting of the controller. */
const scaleDownRules = (): HPAScalingRules => ({
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds }],
});
