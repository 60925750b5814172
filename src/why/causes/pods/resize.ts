import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";

export const podResize = cause<Pod>({
  name: "resize-pending",
  layer: "node",
  of: [pods],
  find({ status, spec }, view) {
    const condition = (status?.conditions ?? []).find(
      ({ type, status: value, reason }) =>
        value === "True" &&
        (type === "PodResizePending" || (type === "PodResizeInProgress" && reason === "Error")),
    );
    if (!condition) return undefined;
    const said = oneLine(condition.message ?? "", 160);
    return {
      sentence: `node ${spec.nodeName} cannot resize it in place (${condition.reason})${said ? `: ${said}` : ""}`,
      since: condition.lastTransitionTime,
      evidence: [conditionLine(condition, view.nowMs)],
      fix: ["# request less, or delete the Pod so that it is scheduled again"],
    };
  },
});
