export interface DefaultPreemptionArgs {
  /** Least share (percent) of the nodes to try. */
  readonly minCandidateNodesPercentage: number;
  readonly minCandidateNodesAbsolute: number;
}

/** Number of candidates that preemption searches. */
export function candidatesWanted(args: DefaultPreemptionArgs, nodes: number): number {
  const share = Math.trunc((nodes * args.minCandidateNodesPercentage) / 100);
  return Math.min(nodes, Math.max(share, args.minCandidateNodesAbsolute));
}
