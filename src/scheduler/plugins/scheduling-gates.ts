import { action, interest } from "../framework/cluster-event.ts";
import type { Plugin } from "../framework/plugin.ts";
import { rejectForGood } from "../framework/rejection.ts";

/**
 * Keeps a pod out of the active queue while it has scheduling gates.
 *
 * Upstream: kubernetes/pkg/scheduler/framework/plugins/schedulinggates.
 */
export const schedulingGates: Plugin = {
  name: "SchedulingGates",
  requeueOn: [interest("TargetPod", action.UpdatePodSchedulingGatesEliminated)],
  preEnqueue({ spec: { schedulingGates: gates = [] } }) {
    if (gates.length === 0) return undefined;
    const names = gates.map(({ name }) => name).join(" ");
    return rejectForGood("SchedulingGates", `waiting for scheduling gates: [${names}]`);
  },
};
