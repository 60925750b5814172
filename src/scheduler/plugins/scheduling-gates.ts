import { action, interest } from "../framework/cluster-event.ts";
import { rejectForGood } from "../framework/rejection.ts";
import type { PluginDeclaration } from "./shared/plugin-declaration.ts";

const name = "SchedulingGates";

/**
 * Keeps a pod out of the active queue while it has scheduling gates.
 *
 * Upstream: pkg/scheduler/framework/plugins/schedulinggates.
 */
export const schedulingGates: PluginDeclaration = {
  name,
  make: () => ({
    requeueOn: [interest("TargetPod", action.UpdatePodSchedulingGatesEliminated)],
    preEnqueue({ spec: { schedulingGates: gates = [] } }) {
      if (gates.length === 0) return undefined;
      const names = gates.map(({ name }) => name).join(" ");
      return rejectForGood(name, `waiting for scheduling gates: [${names}]`);
    },
  }),
};
