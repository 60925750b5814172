import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { unschedulable } from "../../facts/unschedulable.ts";

/** Of the group's causes the last: whatever else the scheduler says. */
export const schedulerSays = cause<Pod>({
  name: "not-scheduled",
  layer: "scheduling",
  group: "scheduling",
  of: [pods],
  find(pod) {
    const state = unschedulable(pod);
    if (!state) return undefined;
    return {
      sentence: `the scheduler finds no node for it: ${oneLine(state.message, 200) || "it gives no reason"}`,
      since: state.since,
      fix: [`kubectl describe pod ${pod.metadata.name}`],
    };
  },
});
