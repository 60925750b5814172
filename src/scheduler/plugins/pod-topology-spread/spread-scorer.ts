import { compileRequiredNodeAffinity } from "#/machinery/pods/node-affinity.ts";
import type { NodeInfo } from "../../cache/node-info.ts";
import type { Cycle } from "../../framework/cycle.ts";
import { maxNodeScore, type NodeScorer } from "../../framework/plugin.ts";
import {
  countMatching,
  hasTopologyKeys,
  hostnameLabel,
  nodeCounts,
  type SpreadConstraint,
} from "./constraints.ts";

/** The counts of one constraint, and their weight. */
interface Tally {
  readonly constraint: SpreadConstraint;
  /** By value of the topology key; hosts are counted when they are scored. */
  readonly counts: Map<string, number>;
  readonly weight: number;
}

/**
 * Prefers nodes in domains with few matching pods. A constraint weighs more the more domains it has.
 *
 * Upstream: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go.
 */
export function spreadScorer(
  { pod, snapshot }: Cycle,
  constraints: readonly SpreadConstraint[],
  feasible: readonly NodeInfo[],
  requireAllKeys: boolean,
): NodeScorer {
  const isIgnored = ({ labels }: NodeInfo): boolean =>
    requireAllKeys && !hasTopologyKeys(labels, constraints);
  const tallies = tallyFeasible(
    constraints,
    requireAllKeys ? feasible.filter((n) => !isIgnored(n)) : feasible,
  );
  const affinity = compileRequiredNodeAffinity(pod.pod.spec);
  const zoned = tallies.filter(({ counts }) => counts.size > 0);
  if (zoned.length > 0) {
    for (const node of snapshot.nodes) {
      if (isIgnored(node)) continue;
      for (const { constraint, counts } of zoned) {
        const value = node.labels[constraint.topologyKey] ?? "";
        const count = counts.get(value);
        if (count === undefined || !nodeCounts(constraint, pod, node, affinity)) continue;
        counts.set(value, count + countMatching(node, constraint, pod.namespace));
      }
    }
  }
  return {
    score: (node) => (isIgnored(node) ? 0 : scoreNode(node, tallies, pod.namespace)),
    normalize: (scores, nodes) => normalizeSpread(scores, nodes, isIgnored),
  };
}

function tallyFeasible(
  constraints: readonly SpreadConstraint[],
  nodes: readonly NodeInfo[],
): readonly Tally[] {
  return constraints.map((constraint) => {
    const counts = new Map<string, number>();
    const isHost = constraint.topologyKey === hostnameLabel;
    if (!isHost) {
      for (const { labels } of nodes) counts.set(labels[constraint.topologyKey] ?? "", 0);
    }
    const size = isHost ? nodes.length : counts.size;
    return { constraint, counts, weight: Math.log(size + 2) };
  });
}

function scoreNode(node: NodeInfo, tallies: readonly Tally[], namespace: string): number {
  let score = 0;
  for (const { constraint, counts, weight } of tallies) {
    const value = node.labels[constraint.topologyKey];
    if (value === undefined) continue;
    const count =
      constraint.topologyKey === hostnameLabel
        ? countMatching(node, constraint, namespace)
        : (counts.get(value) ?? 0);
    score += count * weight + (constraint.maxSkew - 1);
  }
  return Math.round(score);
}

function normalizeSpread(
  scores: Float64Array,
  nodes: readonly NodeInfo[],
  isIgnored: (node: NodeInfo) => boolean,
): void {
  const ignored = nodes.map(isIgnored);
  let min = Number.MAX_SAFE_INTEGER;
  let max = 0;
  scores.forEach((score, i) => {
    if (ignored[i]) return;
    if (score < min) min = score;
    if (score > max) max = score;
  });
  scores.forEach((score, i) => {
    if (ignored[i]) scores[i] = 0;
    else if (max === 0) scores[i] = maxNodeScore;
    else scores[i] = Math.floor((maxNodeScore * (max + min - score)) / max);
  });
}
