import { type Pod, pods } from "#/api/core/v1.ts";
import { findCondition, hasCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";
import { isReady } from "../../facts/containers.ts";

export const readinessGate = cause<Pod>({
  name: "readiness-gate",
  layer: "readiness",
  of: [pods],
  find(pod, view) {
    const { spec, status } = pod;
    if (isReady(pod) || !hasCondition(status?.conditions, "ContainersReady")) return undefined;
    const open = (spec.readinessGates ?? [])
      .map(({ conditionType }) => conditionType)
      .filter((type) => !hasCondition(status?.conditions, type));
    if (open.length === 0) return undefined;
    const conditions = open.map((type) => findCondition(status?.conditions, type));
    const [first = ""] = open;
    const owner = first.includes("/") ? ` (see the program of ${first.split("/")[0]})` : "";
    return {
      sentence: `its containers are ready, but its readiness gate ${names(open)} is not True: the program that sets this condition has not done so${owner}`,
      since: findCondition(status?.conditions, "Ready")?.lastTransitionTime,
      evidence: open.map((type, index) => {
        const condition = conditions[index];
        return condition
          ? conditionLine(condition, view.nowMs)
          : `the Pod has no condition ${type}`;
      }),
      fix: ["# start the controller that sets the condition, or leave readinessGates out"],
    };
  },
});
