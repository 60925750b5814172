import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from "#/api/autoscaling/v2.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";

export const hpaMetrics = cause<HorizontalPodAutoscaler>({
  name: "hpa-metrics",
  layer: "controllers",
  of: [horizontalPodAutoscalers],
  find({ spec, status }, view) {
    const condition = findCondition(status?.conditions, "ScalingActive");
    if (condition?.status !== "False") return undefined;
    const { reason = "", message = "" } = condition;
    const none = view.serves("metrics.k8s.io/v1beta1") === false;
    const ofResource = (spec?.metrics ?? []).some(
      ({ type }) => type === "Resource" || type === "ContainerResource",
    );
    const missing = /missing request for (\w+)/.exec(message)?.[1];
    const target = `${spec?.scaleTargetRef.kind.toLowerCase()}/${spec?.scaleTargetRef.name}`;
    const why = missing
      ? `the containers of ${target} have no request for ${missing}, of which its target is a share`
      : none && ofResource
        ? "the cluster serves no metrics (no metrics server: metrics.k8s.io is missing)"
        : reason === "ScalingDisabled"
          ? `${target} is scaled to 0, which switches it off`
          : `${oneLine(message, 200)} (${reason})`;
    return {
      sentence: `it cannot compute a size: ${why}`,
      since: condition.lastTransitionTime,
      evidence: [conditionLine(condition, view.nowMs)],
      fix: missing
        ? [`kubectl set resources ${target} --requests=${missing}=100m`]
        : none
          ? ["# install a metrics server"]
          : [`kubectl why ${target}`],
    };
  },
});
