import { duplicate, invalid } from "#/machinery/meta/field-error.ts";
import { amountOf } from "../cache/resources.ts";
import type { ArgumentRules } from "../config/plugin-settings.ts";
import { completeResources, type ResourceSpec } from "./shared/argument-parts.ts";
import type { PluginDeclaration, PluginMethods } from "./shared/plugin-declaration.ts";
import { balancedScore, countedResources } from "./shared/resource-scores.ts";

interface BalancedAllocationArgs {
  readonly resources: readonly ResourceSpec[];
}

const argumentRules: ArgumentRules<BalancedAllocationArgs> = {
  complete: (given) => ({ ...given, resources: completeResources(given.resources) }),
  validate({ resources }, path) {
    const seen = new Set<string>();
    return resources.flatMap(({ name, weight }, index) => {
      const at = path.child("resources").index(index);
      const errors = seen.has(name) ? [duplicate(at.child("name"), name)] : [];
      seen.add(name);
      return weight === 1 ? errors : [...errors, invalid(at.child("weight"), weight, "must be 1")];
    });
  },
};

/**
 * Prefers nodes whose utilization the pod makes more even; skips pods without requests.
 *
 * Upstream: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go.
 */
export const nodeResourcesBalancedAllocation: PluginDeclaration<BalancedAllocationArgs> = {
  name: "NodeResourcesBalancedAllocation",
  weight: 1,
  args: argumentRules,
  make,
};

function make({ resources }: BalancedAllocationArgs): PluginMethods {
  return {
    score({ pod }) {
      const wanted = (resource: string): number => amountOf(pod.requests, resource);
      if (resources.every(({ name }) => wanted(name) === 0)) return undefined;
      const counted = countedResources(resources, wanted, false);
      return { score: (node) => balancedScore(node, counted) };
    },
  };
}
