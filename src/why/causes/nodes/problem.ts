import { type Node, nodes } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";

const known = new Set(["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"]);

/** NetworkUnavailable, and the conditions of detectors of problems: KernelDeadlock, ReadonlyFilesystem… */
export const nodeProblem = cause<Node>({
  name: "node-problem",
  layer: "node",
  of: [nodes],
  find({ status }, view) {
    const bad = (status?.conditions ?? []).find(
      ({ type, status: value }) => !known.has(type) && value === "True",
    );
    if (!bad) return undefined;
    return {
      layer: bad.type === "NetworkUnavailable" ? "network" : "node",
      sentence: `its condition ${bad.type} is True (${bad.reason ?? "no reason"})${bad.message ? `: ${oneLine(bad.message, 160)}` : ""}`,
      since: bad.lastTransitionTime,
      evidence: [conditionLine(bad, view.nowMs)],
    };
  },
});
