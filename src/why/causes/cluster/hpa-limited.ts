import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from "#/api/autoscaling/v2.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";
import { conditionLine } from "../../facts/conditions.ts";

export const hpaLimited = cause<HorizontalPodAutoscaler>({
  name: "hpa-at-limit",
  layer: "controllers",
  of: [horizontalPodAutoscalers],
  find({ spec, status, metadata }, view) {
    const condition = findCondition(status?.conditions, "ScalingLimited");
    if (condition?.status !== "True" || condition.reason !== "TooManyReplicas") return undefined;
    return {
      sentence: `it would like more than its maxReplicas of ${spec?.maxReplicas}`,
      severity: "notice",
      since: condition.lastTransitionTime,
      evidence: [conditionLine(condition, view.nowMs)],
      fix: [
        `kubectl patch hpa ${metadata.name} --type=merge -p '{"spec":{"maxReplicas":${(spec?.maxReplicas ?? 1) * 2}}}'`,
      ],
    };
  },
});
