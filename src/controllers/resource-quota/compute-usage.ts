/** Upstream: staging/src/k8s.io/apiserver/pkg/quota/v1/resources.go (CalculateUsage). */
import type { ResourceQuota } from "#/api/core/v1.ts";
import type { QuotaEvaluator } from "#/machinery/quota/quota-evaluator.ts";
import { scopesOf } from "#/machinery/quota/scopes.ts";
import { quantityOf } from "#/machinery/values/quantity.ts";
import { addResources, type ResourceList } from "#/machinery/values/resource-list.ts";

/** The objects of one resource in a quota's namespace, and their evaluator. */
interface Counted {
  readonly evaluator: QuotaEvaluator;
  readonly objects: readonly unknown[];
}

/** The usage of each limited name that an evaluator can count. */
export function computeUsage(
  quota: ResourceQuota,
  hard: ResourceList,
  counted: readonly Counted[],
): ResourceList {
  const scopes = scopesOf(quota);
  const used: ResourceList = new Map();
  for (const { evaluator, objects } of counted) {
    const names = new Set(evaluator.matchingResources(hard.keys()));
    for (const name of names) if (!used.has(name)) used.set(name, quantityOf(0));
    for (const object of objects) {
      if (!scopes.every((scope) => evaluator.matchesScope?.(scope, object) ?? false)) continue;
      const usage = [...evaluator.usage(object)].filter(([name]) => names.has(name));
      addResources(used, new Map(usage));
    }
  }
  return used;
}
