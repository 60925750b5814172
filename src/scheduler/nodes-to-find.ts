/** Below so many nodes all are looked at; and so many are wanted at least. */
const minFeasibleNodes = 100;

const minPercentage = 5;

/**
 * How many nodes that fit are enough: all of a small cluster, and a share of a large one that shrinks as it grows.
 *
 * Upstream: kubernetes/pkg/scheduler/schedule_one.go.
 */
export function nodesToFind(percentage: number, allNodes: number): number {
  if (allNodes < minFeasibleNodes) return allNodes;
  const adaptive = Math.max(minPercentage, 50 - Math.trunc(allNodes / 125));
  const share = Math.trunc((allNodes * (percentage || adaptive)) / 100);
  return Math.max(minFeasibleNodes, share);
}
