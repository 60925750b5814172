import type { Victims } from "../extender/extender.ts";
import { startTime } from "./pod-importance.ts";

/** A node with its victims: the pods to evict from it. */
export interface Candidate {
  readonly nodeName: string;
  readonly victims: Victims;
}

const priorityOf = (pod: { spec: { priority?: number } }): number => pod.spec.priority ?? 0;

/** Criteria for a candidate, in the order in which they decide; more is better. */
const merits: readonly ((victims: Victims) => number)[] = [
  ({ pdbViolations }) => -pdbViolations,
  ({ pods: [first] }) => (first ? -priorityOf(first) : 0),
  // Shifted, so that one more pod always counts as more, whatever its priority.
  ({ pods }) => -pods.reduce((sum, pod) => sum + priorityOf(pod) + 2 ** 31, 0),
  ({ pods }) => -pods.length,
  latestStart,
];

/**
 * The candidate that disrupts least: fewest violated budgets, lowest highest priority, lowest sum of priorities, fewest
 * pods, and then the one whose most important victims started last.
 *
 * Upstream: pkg/scheduler/framework/preemption/preemption.go.
 */
export function pickCandidate(candidates: readonly Candidate[]): Candidate | undefined {
  let left = candidates;
  for (const merit of merits) {
    if (left.length <= 1) break;
    const scores = left.map(({ victims }) => merit(victims));
    const best = Math.max(...scores);
    left = left.filter((_, index) => scores[index] === best);
  }
  return left[0];
}

function latestStart({ pods }: Victims): number {
  const highest = Math.max(...pods.map(priorityOf));
  return Math.min(...pods.filter((pod) => priorityOf(pod) === highest).map(startTime));
}
