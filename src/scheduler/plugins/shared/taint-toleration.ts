import type { Node, Pod, Taint, Toleration } from "#/api/core/v1.ts";
import { findUntoleratedTaint, toleratesTaint } from "#/machinery/pods/tolerations.ts";
import { action, interest } from "../../framework/cluster-event.ts";
import { normalizeScores } from "../../framework/normalize.ts";
import { rejectForGood } from "../../framework/rejection.ts";
import type { PluginDeclaration } from "./plugin-declaration.ts";

const name = "TaintToleration";
const untolerated = rejectForGood(name, "node(s) had untolerated taint(s)");

/** True if a taint keeps new pods off a node. */
const keepsOff = ({ effect }: Taint): boolean => effect === "NoSchedule" || effect === "NoExecute";

/** True if a pod tolerates all NoSchedule and NoExecute taints of a node. */
export function toleratesNode({ spec }: Pod, { spec: { taints } }: Node): boolean {
  if (taints === undefined) return true;
  return findUntoleratedTaint(taints, spec.tolerations, { filter: keepsOff }) === undefined;
}

function countUnwanted(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  return taints.filter((taint) => {
    if (taint.effect !== "PreferNoSchedule") return false;
    return !tolerations.some((toleration) => toleratesTaint(toleration, taint));
  }).length;
}

/**
 * Rejects nodes with taints that the pod doesn't tolerate, and prefers nodes with few PreferNoSchedule taints.
 *
 * Upstream: pkg/scheduler/framework/plugins/tainttoleration.
 */
export const taintToleration: PluginDeclaration = {
  name,
  weight: 3,
  make: () => ({
    requeueOn: [
      interest<Pod, Node>("Node", action.Add | action.UpdateNodeTaint, (pod, before, after) => {
        const was = before !== undefined && toleratesNode(pod, before);
        return !was && after !== undefined && toleratesNode(pod, after);
      }),
      interest("TargetPod", action.UpdatePodToleration),
    ],
    filter({ pod: { pod } }) {
      return {
        check: ({ node, taints }) =>
          taints.length === 0 || toleratesNode(pod, node) ? undefined : untolerated,
      };
    },
    score({ pod: { pod } }) {
      const tolerations = (pod.spec.tolerations ?? []).filter(
        ({ effect }) => !effect || effect === "PreferNoSchedule",
      );
      return {
        score: ({ taints }) => (taints.length === 0 ? 0 : countUnwanted(taints, tolerations)),
        normalize: (scores) => normalizeScores(scores, true),
      };
    },
  }),
};
