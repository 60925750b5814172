import { type Pod, pods } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";

/** The reasons of the condition DisruptionTarget. */
const meanings: ReadonlyMap<string, string> = new Map([
  [
    "PreemptionByScheduler",
    "a Pod of higher priority needed its place (preempted by the scheduler)",
  ],
  ["DeletionByTaintManager", "its node got a taint that it does not tolerate"],
  ["EvictionByEvictionAPI", "it was evicted through the API, as by kubectl drain"],
  ["DeletionByPodGC", "its node exists no more"],
  ["TerminationByKubelet", "the node ended it, for lack of resources or for its own shutdown"],
  ["DeletionByDeviceTaintManager", "a device that it uses was tainted"],
]);

export const podDisrupted = cause<Pod>({
  name: "pod-disrupted",
  layer: "node",
  group: "pod failed",
  of: [pods],
  find({ status, metadata }, view) {
    const condition = findCondition(status?.conditions, "DisruptionTarget");
    if (
      condition?.status !== "True" ||
      (status?.phase !== "Failed" && !metadata.deletionTimestamp)
    ) {
      return undefined;
    }
    const { reason = "" } = condition;
    const why = meanings.get(reason) ?? oneLine(condition.message ?? reason, 200);
    return {
      layer: reason === "PreemptionByScheduler" ? "scheduling" : "node",
      sentence: `it was ended because ${why}`,
      since: condition.lastTransitionTime,
      evidence: [conditionLine(condition, view.nowMs)],
    };
  },
});
