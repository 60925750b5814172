import { openRooms } from "../../facts/node-room.ts";
import { schedulingCause, tooManyPods as tooManyPodsText } from "../../facts/unschedulable.ts";

export const tooManyPods = schedulingCause({
  name: "too-many-pods",
  texts: new RegExp(`^${tooManyPodsText}`),
  explain(_match, { spec }, view) {
    const [best] = openRooms("pods", spec, view) ?? [];
    const limit = best ? ` (${best.node} takes ${best.allocatable})` : "";
    return {
      sentence: `too many Pods: no node may take another one${limit}`,
      fix: ["# delete Pods that are not needed, add a node, or raise the kubelet's maxPods"],
    };
  },
});
