import { nodeRooms } from "../../facts/node-room.ts";
import { schedulingCause } from "../../facts/unschedulable.ts";

export const tooManyPods = schedulingCause({
  name: "too-many-pods",
  texts: /^Too many pods/,
  explain(_match, _pod, view) {
    const [best] = nodeRooms("pods", view) ?? [];
    const limit = best ? ` (${best.node} takes ${best.allocatable})` : "";
    return {
      sentence: `too many Pods: no node may take another one${limit}`,
      fix: ["# delete Pods that are not needed, add a node, or raise the kubelet's maxPods"],
    };
  },
});
