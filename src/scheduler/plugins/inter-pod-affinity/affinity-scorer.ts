import type { Labels } from "#/machinery/meta/labels.ts";
import {
  type AffinityTerm,
  memoizedMatch,
  memoizedTerm,
  type WeightedAffinityTerm,
} from "../../cache/affinity-term.ts";
import type { NodeInfo } from "../../cache/node-info.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import type { Snapshot } from "../../cache/snapshot.ts";
import { maxNodeScore, type NodeScorer } from "../../framework/plugin.ts";

/** The preferred terms of a pod, with namespace selectors resolved. */
interface Preferences {
  readonly near: readonly WeightedAffinityTerm[];
  readonly apart: readonly WeightedAffinityTerm[];
  readonly namespaceLabels: Labels | undefined;
  /** Weight of the required affinity terms of other pods. */
  readonly hardWeight: number;
}

/**
 * Prefers nodes by the preferred terms of this pod and by the terms of other pods that match it.
 *
 * Upstream: pkg/scheduler/framework/plugins/interpodaffinity/scoring.go.
 */
export function affinityScorer(
  pod: PodInfo,
  preferences: Preferences,
  snapshot: Snapshot,
): NodeScorer | undefined {
  const tally = new Tally(pod, preferences);
  if (preferences.near.length + preferences.apart.length > 0) {
    for (const node of snapshot.nodes) for (const other of node.pods) tally.add(other, node);
  } else {
    for (const node of snapshot.nodesWithAffinity) {
      for (const other of node.podsWithAffinity) tally.add(other, node);
    }
  }
  if (tally.scores.size === 0) return undefined;
  return {
    score({ labels }) {
      let sum = 0;
      for (const [topologyKey, values] of tally.scores) {
        const value = labels[topologyKey];
        if (value !== undefined) sum += values.get(value) ?? 0;
      }
      return sum;
    },
    normalize: stretch,
  };
}

/** The sums of weights by topology key and value. */
class Tally {
  readonly scores = new Map<string, Map<string, number>>();
  readonly #preferences: Preferences;
  readonly #isMeantBy: (term: AffinityTerm) => boolean;
  readonly #isNearTerm: readonly ((pod: PodInfo) => boolean)[];
  readonly #isApartTerm: readonly ((pod: PodInfo) => boolean)[];

  constructor(pod: PodInfo, preferences: Preferences) {
    this.#preferences = preferences;
    this.#isMeantBy = memoizedMatch(pod, preferences.namespaceLabels);
    this.#isNearTerm = preferences.near.map(memoizedTerm);
    this.#isApartTerm = preferences.apart.map(memoizedTerm);
  }

  add(other: PodInfo, node: NodeInfo): void {
    const { near, apart, hardWeight } = this.#preferences;
    const { required, preferred, preferredAnti } = other.affinity;
    for (let i = 0; i < near.length; i++) {
      const term = near[i];
      if (term && this.#isNearTerm[i]?.(other)) this.#count(term, term.weight, node);
    }
    for (let i = 0; i < apart.length; i++) {
      const term = apart[i];
      if (term && this.#isApartTerm[i]?.(other)) this.#count(term, -term.weight, node);
    }
    if (hardWeight > 0) {
      for (const term of required) if (this.#isMeantBy(term)) this.#count(term, hardWeight, node);
    }
    for (const term of preferred) {
      if (this.#isMeantBy(term)) this.#count(term, term.weight, node);
    }
    for (const term of preferredAnti) {
      if (this.#isMeantBy(term)) this.#count(term, -term.weight, node);
    }
  }

  #count(term: AffinityTerm, weight: number, { labels }: NodeInfo): void {
    const value = labels[term.topologyKey];
    if (value === undefined) return;
    let values = this.scores.get(term.topologyKey);
    if (values === undefined) {
      values = new Map();
      this.scores.set(term.topologyKey, values);
    }
    values.set(value, (values.get(value) ?? 0) + weight);
  }
}

/** Scales scores, which may be negative, to 0…100. */
function stretch(scores: Float64Array): void {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const score of scores) {
    if (score < min) min = score;
    if (score > max) max = score;
  }
  const span = max - min;
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] ?? 0;
    scores[i] = span > 0 ? Math.trunc(maxNodeScore * ((score - min) / span)) : 0;
  }
}
