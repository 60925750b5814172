/** Limit of nodes (count) below which every node is filtered; also the least number of feasible nodes to find. */
const minFeasibleNodes = 100;

const minPercentage = 5;

/**
 * Number of feasible nodes to find before scoring: all of a small cluster, and a share of a large one that shrinks as it grows.
 *
 * Upstream: pkg/scheduler/schedule_one.go.
 */
export function nodesToFind(percentage: number, allNodes: number): number {
  if (allNodes < minFeasibleNodes) return allNodes;
  const adaptive = Math.max(minPercentage, 50 - Math.trunc(allNodes / 125));
  const share = Math.trunc((allNodes * (percentage || adaptive)) / 100);
  return Math.max(minFeasibleNodes, share);
}
