import {
  type Direction,
  directions,
  type MemberSet,
  type Policy,
  policyName,
} from "../model/policy.ts";
import { baseChains, baseSets } from "./base-chains.ts";
import { framePlan } from "./frame-plan.ts";
import type { Member, MemberIndex } from "./member-index.ts";
import { knownSet, podMap, selfSet } from "./names.ts";
import { type PodChains, podChains } from "./pod-chains.ts";
import { policyRules, type UsedSet } from "./policy-rules.ts";
import type { PlannedChain, PlannedSet, TablePlan } from "./table-plan.ts";

/** A Pod of this node. */
export interface LocalPod {
  /** Its key in the index. */
  readonly key: string;
  readonly ips: readonly string[];
  /** The addresses of its link: its policies are about these, too, but no rule has them as peers. */
  readonly linkIps?: readonly string[];
  /** The node's ends of its links to a bridge. */
  readonly links?: readonly string[];
}

interface PlanInput {
  /** The networks of this node's Pods: addresses in them without a known Pod get no packets. */
  readonly podCidrs: readonly string[];
  readonly localPods: readonly LocalPod[];
}

/** A set of a plan, and the selections that it depends on. */
interface CurrentSet {
  readonly keys: readonly string[];
  readonly planned: PlannedSet;
}

/** All selections of a policy. */
function memberSetsOf(policy: Policy): MemberSet[] {
  const used = directions.flatMap((direction) =>
    policyRules(policy, direction).sets.flatMap(({ members }) => members),
  );
  return [policy.subject, ...used];
}

/** Plans the table, again and again: what has not changed since the last plan is taken from it. */
export class TablePlanner {
  readonly #index: MemberIndex;
  /** By the key of the selection of its subject. */
  #bySubject = new Map<string, Policy[]>();
  /** By direction and the policies that select a Pod. */
  #podChains = new Map<string, PodChains>();
  /** Those of the last plan, by name. */
  #used = new Map<string, CurrentSet>();

  constructor(index: MemberIndex) {
    this.#index = index;
  }

  /** Replaces the policies. */
  setPolicies(policies: readonly Policy[]): void {
    this.#bySubject = Map.groupBy(policies, ({ subject }) => subject.key);
    this.#podChains = new Map();
    const sets = policies.flatMap(memberSetsOf);
    this.#index.follow(new Map(sets.map((set) => [set.key, set])));
  }

  /** The policies that select a Pod. */
  policiesOf(pod: string): Policy[] {
    return this.#index
      .setsOf(pod)
      .flatMap((key) => this.#bySubject.get(key) ?? [])
      .sort((a, b) => (policyName(a.source) < policyName(b.source) ? -1 : 1));
  }

  plan({ podCidrs, localPods }: PlanInput): TablePlan {
    const chains = new Map<string, PlannedChain>(baseChains(podCidrs));
    const elements = new Map<string, Map<string, string>>();
    const used = new Map<string, UsedSet>();
    const kept = new Map<string, PodChains>();
    for (const { key, ips, linkIps = [] } of localPods) {
      const policies = this.policiesOf(key);
      addAddresses(elements, ips);
      for (const direction of directions) {
        const some = policies.filter((policy) => policy[direction] !== undefined);
        if (some.length === 0) continue;
        const found = this.#chainsFor(direction, some, kept);
        for (const [name, chain] of found.chains) chains.set(name, chain);
        for (const set of found.sets) used.set(set.name, set);
        for (const ip of [...ips, ...linkIps])
          element(elements, podMap(direction, familyOf(ip)), ip, `goto ${found.entry}`);
      }
    }
    this.#podChains = kept;
    const sets = new Map<string, PlannedSet>(
      [...baseSets].map(([name, set]) => [
        name,
        { ...set, elements: elements.get(name) ?? set.elements },
      ]),
    );
    for (const [name, set] of this.#usedSets(used)) sets.set(name, set);
    return { chains, sets };
  }

  /** Plans the table for frames within a bridge. */
  planFrames(localPods: readonly LocalPod[]): TablePlan {
    const limited = localPods.filter(({ key }) =>
      this.policiesOf(key).some(({ ingress }) => ingress !== undefined),
    );
    return framePlan(limited.flatMap(({ links = [] }) => links));
  }

  #chainsFor(
    direction: Direction,
    policies: readonly Policy[],
    kept: Map<string, PodChains>,
  ): PodChains {
    const key = [direction, ...policies.map(({ source }) => policyName(source))].join("\n");
    const found = kept.get(key) ?? this.#podChains.get(key) ?? podChains(direction, policies);
    kept.set(key, found);
    return found;
  }

  #usedSets(used: ReadonlyMap<string, UsedSet>): Map<string, PlannedSet> {
    const changed = this.#index.takeChanged();
    const next = new Map<string, CurrentSet>();
    for (const [name, set] of used) {
      const before = this.#used.get(name);
      const keys = before?.keys ?? set.members.map(({ key }) => key);
      const isCurrent = before && !keys.some((key) => changed.has(key));
      next.set(name, isCurrent ? before : { keys, planned: this.#plannedSet(set) });
    }
    this.#used = next;
    return new Map([...next].map(([name, { planned }]) => [name, planned]));
  }

  #plannedSet({ family, members, port }: UsedSet): PlannedSet {
    const elements = new Map<string, string>();
    for (const { key } of members) {
      for (const member of this.#index.membersOf(key)) {
        for (const ip of member.ips) {
          if (familyOf(ip) !== family || !this.#index.owns(member, ip)) continue;
          for (const text of elementTexts(member, ip, port)) elements.set(text, "");
        }
      }
    }
    const address = `ipv${family}_addr`;
    const type = port ? `${address} . inet_service` : address;
    return { kind: "set", type, elements };
  }
}

function elementTexts(member: Member, ip: string, port: UsedSet["port"]): string[] {
  const isService = member.isService === true;
  if (port === undefined) return isService ? [] : [ip];
  if (port.name === undefined && !isService) return [];
  return member.ports
    .filter(({ protocol }) => protocol === port.protocol)
    .filter(({ name }) => port.name === undefined || name === port.name)
    .map(({ port: number }) => `${ip} . ${number}`);
}

function addAddresses(elements: Map<string, Map<string, string>>, ips: readonly string[]): void {
  for (const ip of ips) {
    element(elements, knownSet(familyOf(ip)), ip, "");
    for (const other of ips) {
      if (familyOf(other) !== familyOf(ip)) continue;
      element(elements, selfSet(familyOf(ip)), `${ip} . ${other}`, "");
    }
  }
}

function element(
  elements: Map<string, Map<string, string>>,
  set: string,
  key: string,
  value: string,
): void {
  const found = elements.get(set);
  if (found) found.set(key, value);
  else elements.set(set, new Map([[key, value]]));
}

const familyOf = (ip: string): 4 | 6 => (ip.includes(":") ? 6 : 4);
