import type { Pod } from "#/api/core/v1.ts";
import type { PodDisruptionBudget } from "#/api/policy/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { type Selector, SelectorError } from "#/machinery/meta/labels.ts";

/** A PodDisruptionBudget with its compiled selector and the disruptions left. */
export interface Budget {
  readonly namespace: string;
  readonly selector: Selector;
  readonly allowed: number;
  /** Names of pods that were counted when their eviction was granted. */
  readonly disrupted: ReadonlySet<string>;
}

/** Budgets that select any pods; those with an invalid selector are left out. */
export function compileBudgets(budgets: readonly PodDisruptionBudget[]): Budget[] {
  return budgets.flatMap(({ metadata, spec, status }) => {
    try {
      const selector = compileLabelSelector(spec?.selector);
      if (selector.isEverything) return [];
      return [
        {
          namespace: metadata.namespace ?? "",
          selector,
          allowed: status?.disruptionsAllowed ?? 0,
          disrupted: new Set(Object.keys(status?.disruptedPods ?? {})),
        },
      ];
    } catch (error) {
      if (error instanceof SelectorError) return [];
      throw error;
    }
  });
}

/**
 * Pods whose eviction would violate their budgets, counted in the order of the list.
 *
 * Upstream: pkg/scheduler/framework/preemption/util.go.
 */
export function violatingPods(pods: readonly Pod[], budgets: readonly Budget[]): Set<Pod> {
  const left = budgets.map(({ allowed }) => allowed);
  return new Set(
    pods.filter(({ metadata: { namespace = "", name = "", labels = {} } }) => {
      if (Object.keys(labels).length === 0) return false;
      return budgets.some((budget, index) => {
        if (budget.namespace !== namespace || !budget.selector.matches(labels)) return false;
        if (budget.disrupted.has(name)) return false;
        const now = (left[index] ?? 0) - 1;
        left[index] = now;
        return now < 0;
      });
    }),
  );
}
