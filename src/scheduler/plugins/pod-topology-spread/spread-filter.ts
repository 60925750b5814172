import { compileRequiredNodeAffinity, type NodeMatcher } from "#/machinery/pods/node-affinity.ts";
import type { NodeInfo } from "../../cache/node-info.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import type { Snapshot } from "../../cache/snapshot.ts";
import type { ForkedFilter, NodeFilter } from "../../framework/plugin.ts";
import { type Rejection, reject, rejectForGood } from "../../framework/rejection.ts";
import {
  countMatching,
  hasTopologyKeys,
  nodeCounts,
  type SpreadConstraint,
} from "./constraints.ts";

const name = "PodTopologySpread";
const text = "node(s) didn't match pod topology spread constraints";
const tooMany = reject(name, text);
const noLabel = rejectForGood(name, `${text} (missing required label)`);

/** Number of matching pods for each value of a topology key. */
class Domains {
  readonly #counts: Map<string, number>;
  #least: number | undefined;

  constructor(counts: Map<string, number>) {
    this.#counts = counts;
  }

  copy(): Domains {
    return new Domains(new Map(this.#counts));
  }

  add(value: string, change: number): void {
    this.#counts.set(value, this.count(value) + change);
    this.#least = undefined;
  }

  count(value: string): number {
    return this.#counts.get(value) ?? 0;
  }

  /** The lowest count; 0 while there are fewer values than minDomains. */
  least(minDomains: number): number {
    if (this.#counts.size < minDomains) return 0;
    // Without any domain the minimum is huge, so that no skew is exceeded.
    this.#least ??= Math.min(Number.MAX_SAFE_INTEGER, ...this.#counts.values());
    return this.#least;
  }
}

/**
 * Rejects nodes in domains that would exceed the allowed skew.
 *
 * Upstream: pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
 */
export class SpreadFilter implements NodeFilter {
  readonly #pod: PodInfo;
  readonly #constraints: readonly SpreadConstraint[];
  readonly #affinity: NodeMatcher;
  readonly #domains: readonly Domains[];
  /** Whether the pod itself counts, by constraint. */
  readonly #self: readonly number[];

  private constructor(
    pod: PodInfo,
    constraints: readonly SpreadConstraint[],
    affinity: NodeMatcher,
    domains: readonly Domains[],
  ) {
    this.#pod = pod;
    this.#constraints = constraints;
    this.#affinity = affinity;
    this.#domains = domains;
    this.#self = constraints.map(({ selector }) => Number(selector.matches(pod.labels)));
  }

  /** Counts the pods of the cluster. */
  static of(
    pod: PodInfo,
    constraints: readonly SpreadConstraint[],
    { nodes }: Snapshot,
  ): SpreadFilter {
    const affinity = compileRequiredNodeAffinity(pod.pod.spec);
    const counts = constraints.map(() => new Map<string, number>());
    for (const node of nodes) {
      if (!hasTopologyKeys(node.labels, constraints)) continue;
      constraints.forEach((constraint, index) => {
        if (!nodeCounts(constraint, pod, node, affinity)) return;
        const value = node.labels[constraint.topologyKey] ?? "";
        const count = countMatching(node, constraint, pod.namespace);
        counts[index]?.set(value, (counts[index].get(value) ?? 0) + count);
      });
    }
    const domains = counts.map((map) => new Domains(map));
    return new SpreadFilter(pod, constraints, affinity, domains);
  }

  check({ labels }: NodeInfo): Rejection | undefined {
    for (let i = 0; i < this.#constraints.length; i++) {
      const constraint = this.#constraints[i];
      const domains = this.#domains[i];
      if (!constraint || !domains) continue;
      const value = labels[constraint.topologyKey];
      if (value === undefined) return noLabel;
      const least = domains.least(constraint.minDomains);
      const skew = domains.count(value) + (this.#self[i] ?? 0) - least;
      if (skew > constraint.maxSkew) return tooMany;
    }
    return undefined;
  }

  fork(): ForkedFilter {
    const domains = this.#domains.map((one) => one.copy());
    const copy = new SpreadFilter(this.#pod, this.#constraints, this.#affinity, domains);
    return {
      check: (node) => copy.check(node),
      podAdded: (pod, node) => copy.#count(pod, node, 1),
      podRemoved: (pod, node) => copy.#count(pod, node, -1),
    };
  }

  #count(other: PodInfo, node: NodeInfo, change: number): void {
    if (other.namespace !== this.#pod.namespace) return;
    if (!hasTopologyKeys(node.labels, this.#constraints)) return;
    this.#constraints.forEach((constraint, index) => {
      if (!constraint.selector.matches(other.labels)) return;
      if (!nodeCounts(constraint, this.#pod, node, this.#affinity)) return;
      this.#domains[index]?.add(node.labels[constraint.topologyKey] ?? "", change);
    });
  }
}
