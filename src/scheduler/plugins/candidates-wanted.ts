export interface DefaultPreemptionArgs {
  /** How many nodes are tried at least, as a share of those that might do. */
  readonly minCandidateNodesPercentage: number;
  readonly minCandidateNodesAbsolute: number;
}

/** How many nodes are enough to choose from. */
export function candidatesWanted(args: DefaultPreemptionArgs, nodes: number): number {
  const share = Math.trunc((nodes * args.minCandidateNodesPercentage) / 100);
  return Math.min(nodes, Math.max(share, args.minCandidateNodesAbsolute));
}
