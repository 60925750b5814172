import type { Node, Pod, Taint } from "#/api/core/v1.ts";
import { findUntoleratedTaint } from "#/machinery/pods/tolerations.ts";
import { action, interest } from "../framework/cluster-event.ts";
import { rejectForGood } from "../framework/rejection.ts";
import type { PluginDeclaration } from "./shared/plugin-declaration.ts";

const name = "NodeUnschedulable";
const taint: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
const unschedulable = rejectForGood(name, "node(s) were unschedulable");

const tolerates = ({ spec }: Pod): boolean =>
  findUntoleratedTaint([taint], spec.tolerations) === undefined;

/**
 * Rejects cordoned nodes, unless the pod tolerates the taint.
 *
 * Upstream: pkg/scheduler/framework/plugins/nodeunschedulable.
 */
export const nodeUnschedulable: PluginDeclaration = {
  name,
  make: () => ({
    requeueOn: [
      interest<Pod, Node>("Node", action.Add | action.UpdateNodeTaint, (_pod, before, after) => {
        const was = before?.spec.unschedulable ?? true;
        return was && !after?.spec.unschedulable;
      }),
      interest<Pod, Pod>("TargetPod", action.UpdatePodToleration, (_pod, _before, after) => {
        return after !== undefined && tolerates(after);
      }),
    ],
    filter({ pod: { pod } }) {
      if (tolerates(pod)) return undefined;
      return { check: (node) => (node.unschedulable ? unschedulable : undefined) };
    },
  }),
};
