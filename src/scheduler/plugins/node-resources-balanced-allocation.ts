import { amountOf } from "../cache/resources.ts";
import type { NodeResourcesBalancedAllocationArgs } from "../config/plugin-args.ts";
import type { Plugin } from "../framework/plugin.ts";
import { balancedScore, sharesOn } from "./resource-scores.ts";

/**
 * Prefers nodes whose resources the pod makes more evenly used; pods that ask for nothing don't care.
 *
 * Upstream: kubernetes/pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go.
 */
export function nodeResourcesBalancedAllocation({
  resources,
}: NodeResourcesBalancedAllocationArgs): Plugin {
  return {
    name: "NodeResourcesBalancedAllocation",
    score({ pod }) {
      const wanted = resources.map((resource) => amountOf(pod.requests, resource.name));
      if (wanted.every((amount) => amount === 0)) return undefined;
      return { score: (node) => balancedScore(sharesOn(node, resources, wanted, false)) };
    },
  };
}
