import type { Labels } from "#/machinery/meta/labels.ts";
import {
  type AffinityTerm,
  matchesAllTerms,
  memoizedMatch,
  memoizedTerm,
} from "../../cache/affinity-term.ts";
import type { NodeInfo } from "../../cache/node-info.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import type { Snapshot } from "../../cache/snapshot.ts";
import type { ForkedFilter, NodeFilter } from "../../framework/plugin.ts";
import { type Rejection, reject, rejectForGood } from "../../framework/rejection.ts";

const name = "InterPodAffinity";
const notNear = rejectForGood(name, "node(s) didn't match pod affinity rules");
const notApart = reject(name, "node(s) didn't match pod anti-affinity rules");
const refused = reject(name, "node(s) didn't satisfy existing pods anti-affinity rules");

/** Number of matching pods in each topology domain: a value of a topology key. */
class Places {
  /** By topology key and value. Invariant: counts are not 0, and no key is without values. */
  readonly #counts: Map<string, Map<string, number>>;

  constructor(counts = new Map<string, Map<string, number>>()) {
    this.#counts = counts;
  }

  copy(): Places {
    return new Places(new Map(Array.from(this.#counts, ([key, values]) => [key, new Map(values)])));
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Adds to the count of a node's domain. Nodes without the label have none. */
  add({ labels }: NodeInfo, topologyKey: string, change: number): void {
    const value = labels[topologyKey];
    if (value === undefined) return;
    let values = this.#counts.get(topologyKey);
    if (values === undefined) {
      values = new Map();
      this.#counts.set(topologyKey, values);
    }
    const count = (values.get(value) ?? 0) + change;
    if (count !== 0) values.set(value, count);
    else if (values.delete(value) && values.size === 0) this.#counts.delete(topologyKey);
  }

  has(topologyKey: string, value: string): boolean {
    return (this.#counts.get(topologyKey)?.get(value) ?? 0) > 0;
  }

  /** True if a node is in any of the domains. */
  hasNode({ labels }: NodeInfo): boolean {
    for (const [topologyKey, values] of this.#counts) {
      const value = labels[topologyKey];
      if (value !== undefined && (values.get(value) ?? 0) > 0) return true;
    }
    return false;
  }
}

/** The required terms of a pod, with namespace selectors resolved. */
interface Demands {
  readonly near: readonly AffinityTerm[];
  readonly apart: readonly AffinityTerm[];
  readonly namespaceLabels: Labels | undefined;
}

/**
 * Rejects nodes that violate the pod's required affinity or anti-affinity, or the required anti-affinity of
 * pods that are there.
 *
 * Upstream: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
 */
export class AffinityFilter implements NodeFilter {
  readonly #pod: PodInfo;
  readonly #demands: Demands;
  readonly #near: Places;
  readonly #apart: Places;
  /** Domains of pods whose required anti-affinity matches this pod. */
  readonly #refusing: Places;
  readonly #isMeantBy: (term: AffinityTerm) => boolean;
  readonly #isNearTerm: readonly ((pod: PodInfo) => boolean)[];
  readonly #isApartTerm: readonly ((pod: PodInfo) => boolean)[];

  private constructor(pod: PodInfo, demands: Demands, places: readonly [Places, Places, Places]) {
    this.#pod = pod;
    this.#demands = demands;
    [this.#near, this.#apart, this.#refusing] = places;
    this.#isMeantBy = memoizedMatch(pod, demands.namespaceLabels);
    this.#isNearTerm = demands.near.map(memoizedTerm);
    this.#isApartTerm = demands.apart.map(memoizedTerm);
  }

  /** Counts the pods of the cluster; undefined if no term restricts the pod. */
  static of(pod: PodInfo, demands: Demands, snapshot: Snapshot): AffinityFilter | undefined {
    const places = [new Places(), new Places(), new Places()] as const;
    const filter = new AffinityFilter(pod, demands, places);
    for (const node of snapshot.nodesWithRequiredAntiAffinity) {
      for (const other of node.podsWithRequiredAntiAffinity) filter.#countRefusal(other, node, 1);
    }
    if (demands.near.length + demands.apart.length > 0) {
      for (const node of snapshot.nodes) {
        for (const other of node.pods) filter.#countDemands(other, node, 1);
      }
    } else if (filter.#refusing.isEmpty) {
      return undefined;
    }
    return filter;
  }

  check(node: NodeInfo): Rejection | undefined {
    if (!this.#isNear(node)) return notNear;
    if (this.#isAmong(node, this.#demands.apart, this.#apart)) return notApart;
    return this.#refusing.hasNode(node) ? refused : undefined;
  }

  fork(): ForkedFilter {
    const places = [this.#near.copy(), this.#apart.copy(), this.#refusing.copy()] as const;
    const copy = new AffinityFilter(this.#pod, this.#demands, places);
    return {
      check: (node) => copy.check(node),
      podAdded: (pod, node) => copy.#count(pod, node, 1),
      podRemoved: (pod, node) => copy.#count(pod, node, -1),
    };
  }

  #count(other: PodInfo, node: NodeInfo, change: number): void {
    this.#countRefusal(other, node, change);
    this.#countDemands(other, node, change);
  }

  #countRefusal(other: PodInfo, node: NodeInfo, change: number): void {
    for (const term of other.affinity.requiredAnti) {
      if (this.#isMeantBy(term)) this.#refusing.add(node, term.topologyKey, change);
    }
  }

  #countDemands(other: PodInfo, node: NodeInfo, change: number): void {
    const { near, apart } = this.#demands;
    if (near.length > 0 && this.#isNearTerm.every((matches) => matches(other))) {
      for (const { topologyKey } of near) this.#near.add(node, topologyKey, change);
    }
    for (let i = 0; i < apart.length; i++) {
      if (this.#isApartTerm[i]?.(other)) this.#apart.add(node, apart[i]?.topologyKey ?? "", change);
    }
  }

  #isNear({ labels }: NodeInfo): boolean {
    const { near } = this.#demands;
    let podsExist = true;
    for (const { topologyKey } of near) {
      const value = labels[topologyKey];
      if (value === undefined) return false;
      if (!this.#near.has(topologyKey, value)) podsExist = false;
    }
    // The first pod of a group with affinity to itself may be placed on any node.
    return podsExist || (this.#near.isEmpty && matchesAllTerms(near, this.#pod));
  }

  #isAmong({ labels }: NodeInfo, terms: readonly AffinityTerm[], places: Places): boolean {
    if (places.isEmpty) return false;
    return terms.some(({ topologyKey }) => {
      const value = labels[topologyKey];
      return value !== undefined && places.has(topologyKey, value);
    });
  }
}
