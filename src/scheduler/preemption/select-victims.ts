import type { NodeInfo } from "../cache/node-info.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { Victims } from "../extender/extender.ts";
import type { FilterRun } from "../framework/filter-run.ts";
import { isRejection, type Rejection, rejectForGood } from "../framework/rejection.ts";
import { type Budget, violatingPods } from "./disruption-budgets.ts";
import { compareImportance } from "./pod-importance.ts";

const name = "DefaultPreemption";
const noVictims = rejectForGood(name, "No preemption victims found for incoming pod");

/**
 * The fewest and least important pods of a node to evict so that a pod fits: removes all of lower priority, then puts back as
 * many as possible, first those whose disruption budgets would be violated, the most important first.
 *
 * Upstream: pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
 */
export function selectVictims(
  filters: FilterRun,
  node: NodeInfo,
  budgets: readonly Budget[],
): Victims | Rejection {
  const preemptor = filters.pod;
  const lower = node.pods.filter(({ priority }) => priority < preemptor.priority);
  if (lower.length === 0) return noVictims;
  const run = filters.fork();
  let left = node;
  for (const pod of lower) {
    left = left.withoutPod(pod.uid);
    run.podRemoved(pod, left);
  }
  const rejection = run.check(left);
  if (rejection) return rejection;

  const byImportance = lower.toSorted((a, b) => compareImportance(a.pod, b.pod));
  const violating = violatingPods(
    byImportance.map(({ pod }) => pod),
    budgets,
  );
  const victims: PodInfo[] = [];
  const putBack = (pod: PodInfo): void => {
    const crowded = left.withPod(pod);
    run.podAdded(pod, crowded);
    if (run.check(crowded) === undefined) {
      left = crowded;
    } else {
      run.podRemoved(pod, left);
      victims.push(pod);
    }
  };
  for (const pod of byImportance) if (violating.has(pod.pod)) putBack(pod);
  const pdbViolations = victims.length;
  for (const pod of byImportance) if (!violating.has(pod.pod)) putBack(pod);
  victims.sort((a, b) => compareImportance(a.pod, b.pod));
  return { pods: victims.map(({ pod }) => pod), pdbViolations };
}

/** Whether a dry run found victims. */
export function foundVictims(answer: Victims | Rejection): answer is Victims {
  return !isRejection(answer);
}
