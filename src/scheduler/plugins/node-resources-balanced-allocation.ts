import { amountOf } from "../cache/resources.ts";
import type { NodeResourcesBalancedAllocationArgs } from "../config/plugin-args.ts";
import type { Plugin } from "../framework/plugin.ts";
import { balancedScore, countedResources } from "./shared/resource-scores.ts";

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
      const wanted = (resource: string): number => amountOf(pod.requests, resource);
      if (resources.every(({ name }) => wanted(name) === 0)) return undefined;
      const counted = countedResources(resources, wanted, false);
      return { score: (node) => balancedScore(node, counted) };
    },
  };
}
