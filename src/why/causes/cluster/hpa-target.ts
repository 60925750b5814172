import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from "#/api/autoscaling/v2.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";

export const hpaTarget = cause<HorizontalPodAutoscaler>({
  name: "hpa-target",
  layer: "controllers",
  of: [horizontalPodAutoscalers],
  find({ spec, status }, view) {
    const condition = findCondition(status?.conditions, "AbleToScale");
    if (condition?.status !== "False" || /^Backoff/.test(condition.reason ?? "")) return undefined;
    const { kind = "", name = "" } = spec?.scaleTargetRef ?? {};
    const said = condition.message ?? "";
    return {
      sentence: /not found/.test(said)
        ? `its target ${kind.toLowerCase()}/${name} does not exist (${condition.reason})`
        : `its target ${kind.toLowerCase()}/${name} cannot be scaled (${condition.reason}): ${oneLine(said, 200)}`,
      since: condition.lastTransitionTime,
      evidence: [conditionLine(condition, view.nowMs)],
      fix: ["# correct spec.scaleTargetRef: apiVersion, kind and name"],
    };
  },
});
