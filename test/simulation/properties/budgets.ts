import type { Pod } from "#/api/core/v1.ts";
import type { PodDisruptionBudget } from "#/api/policy/v1.ts";
import { isReady, nameOf } from "../pods.ts";
import { type Change, staleMs, type World } from "../world.ts";
import type { Property } from "./property.ts";

/**
 * An eviction never takes a budget below its minimum. The server knows the health of Pods as the disruption controller
 * last wrote it: budgets whose Pods were recently disrupted otherwise are skipped.
 */
export class EvictionsKeepBudgets implements Property {
  readonly name = "an eviction keeps to the PodDisruptionBudget";
  readonly #evicting = new Set<string>();
  readonly #harmedMs = new Map<string, number>();

  evicting(uid: string): Disposable {
    this.#evicting.add(uid);
    return { [Symbol.dispose]: () => void this.#evicting.delete(uid) };
  }

  check({ resource, now, old }: Change, world: World): string | undefined {
    if (resource !== "pods" || !old || !isReady(old as Pod)) return undefined;
    const pod = old as Pod;
    if (now && isReady(now as Pod)) return undefined;
    for (const budget of world.list<PodDisruptionBudget>("poddisruptionbudgets")) {
      if (!guards(budget, pod)) continue;
      const uid = budget.metadata.uid ?? "";
      if (!this.#evicting.has(pod.metadata.uid ?? "")) {
        this.#harmedMs.set(uid, world.clock.monotonicMs());
        continue;
      }
      const since =
        world.clock.monotonicMs() - (this.#harmedMs.get(uid) ?? Number.NEGATIVE_INFINITY);
      if (since < staleMs) continue;
      const healthy = world.list<Pod>("pods").filter((one) => guards(budget, one) && isReady(one));
      const least = Number(budget.spec?.minAvailable ?? 0);
      if (healthy.length < least) {
        return `${nameOf(budget)}: ${healthy.length} healthy Pods after the eviction of ${nameOf(pod)}, ${least} must be`;
      }
    }
    return undefined;
  }
}

function guards({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean {
  if (metadata.namespace !== pod.metadata.namespace) return false;
  return Object.entries(spec?.selector?.matchLabels ?? {}).every(
    ([name, value]) => pod.metadata.labels?.[name] === value,
  );
}
