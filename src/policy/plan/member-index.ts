import type { Labels } from "#/machinery/meta/labels.ts";
import type { MemberSet, Protocol } from "../model/policy.ts";

/** A port that a container of a Pod has named. */
export interface NamedPort {
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
}

/** A Pod or a Node, with what policies ask about it. */
export interface Member {
  /** Unique among Pods and Nodes. */
  readonly key: string;
  readonly of: "pods" | "nodes";
  /** Empty for a Node. */
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly ips: readonly string[];
  readonly ports: readonly NamedPort[];
  /** Whether it is reached at its ports only: the cluster's DNS, at addresses of nodes. */
  readonly isService?: boolean;
  /** Of two with the same address, the one that sorts last has it: the younger one. */
  readonly age: string;
}

interface Entry {
  readonly member: Member;
  readonly sets: Set<IndexedSet>;
}

interface IndexedSet {
  readonly set: MemberSet;
  readonly entries: Set<Entry>;
}

/**
 * Which Pods and Nodes each selection selects, kept up to date: a change of one object costs as much as there are
 * selections that could select it, whatever the number of objects.
 */
export class MemberIndex {
  readonly #entries = new Map<string, Entry>();
  readonly #byNamespace = new Map<string, Set<Entry>>();
  readonly #byAddress = new Map<string, Set<Entry>>();
  readonly #namespaces = new Map<string, Labels>();
  readonly #sets = new Map<string, IndexedSet>();
  /** Selections of one namespace, and (under "") those across namespaces. */
  readonly #setsByNamespace = new Map<string, Set<IndexedSet>>();
  #changed = new Set<string>();

  /** The keys of selections whose members or their addresses have changed since the last call. */
  takeChanged(): ReadonlySet<string> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** Which selections are followed from now on. */
  follow(wanted: ReadonlyMap<string, MemberSet>): void {
    for (const [key, indexed] of this.#sets) if (!wanted.has(key)) this.#drop(key, indexed);
    for (const [key, set] of wanted) if (!this.#sets.has(key)) this.#add(key, set);
  }

  /** Adds or replaces a member. */
  set(member: Member): void {
    const before = this.#entries.get(member.key);
    if (before && isSame(before.member, member)) return;
    if (before) this.#remove(before);
    const entry: Entry = { member, sets: new Set() };
    this.#entries.set(member.key, entry);
    into(this.#byNamespace, member.namespace, entry);
    for (const ip of member.ips) this.#claim(ip, entry);
    for (const set of this.#candidates(member.namespace)) this.#match(entry, set);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#remove(entry);
    this.#entries.delete(key);
  }

  /** Sets the labels of a namespace; undefined if it is gone. */
  setNamespace(name: string, labels: Labels | undefined): void {
    if (JSON.stringify(this.#namespaces.get(name)) === JSON.stringify(labels)) return;
    if (labels === undefined) this.#namespaces.delete(name);
    else this.#namespaces.set(name, labels);
    for (const entry of this.#byNamespace.get(name) ?? []) {
      for (const set of this.#setsByNamespace.get("") ?? []) this.#match(entry, set);
    }
  }

  get(key: string): Member | undefined {
    return this.#entries.get(key)?.member;
  }

  /** The keys of the followed selections that select a member. */
  setsOf(key: string): string[] {
    return [...(this.#entries.get(key)?.sets ?? [])].map(({ set }) => set.key);
  }

  /** The members of a followed selection. */
  membersOf(key: string): Member[] {
    return [...(this.#sets.get(key)?.entries ?? [])].map(({ member }) => member);
  }

  /** Whether a followed selection selects the member with an address. */
  selects(set: MemberSet, ip: string): boolean {
    return this.membersAt(ip).some((member) =>
      this.#entries
        .get(member.key)
        ?.sets.values()
        .some((one) => one.set.key === set.key),
    );
  }

  /** The members that have an address now. */
  membersAt(ip: string): Member[] {
    return [...(this.#byAddress.get(ip) ?? [])].flatMap(({ member }) =>
      this.owns(member, ip) ? [member] : [],
    );
  }

  /** Whether an address is this member's, and not that of a younger one which has got it since. */
  owns(member: Member, ip: string): boolean {
    for (const { member: other } of this.#byAddress.get(ip) ?? []) {
      if (other.of === member.of && other.age > member.age) return false;
    }
    return true;
  }

  #add(key: string, set: MemberSet): void {
    const indexed: IndexedSet = { set, entries: new Set() };
    this.#sets.set(key, indexed);
    into(this.#setsByNamespace, set.namespace ?? "", indexed);
    const entries =
      set.namespace === undefined ? this.#entries.values() : this.#byNamespace.get(set.namespace);
    for (const entry of entries ?? []) this.#match(entry, indexed);
    this.#changed.add(key);
  }

  #drop(key: string, indexed: IndexedSet): void {
    this.#sets.delete(key);
    outOf(this.#setsByNamespace, indexed.set.namespace ?? "", indexed);
    for (const entry of indexed.entries) entry.sets.delete(indexed);
  }

  *#candidates(namespace: string): Generator<IndexedSet> {
    yield* this.#setsByNamespace.get("") ?? [];
    if (namespace !== "") yield* this.#setsByNamespace.get(namespace) ?? [];
  }

  #match(entry: Entry, indexed: IndexedSet): void {
    const isMember = this.#selects(indexed.set, entry.member);
    if (isMember === entry.sets.has(indexed)) return;
    if (isMember) {
      entry.sets.add(indexed);
      indexed.entries.add(entry);
    } else {
      entry.sets.delete(indexed);
      indexed.entries.delete(entry);
    }
    this.#changed.add(indexed.set.key);
  }

  #selects({ of, namespace, namespaces, selector }: MemberSet, member: Member): boolean {
    if (of !== member.of || !selector.matches(member.labels)) return false;
    if (of === "nodes") return true;
    if (namespace !== undefined) return namespace === member.namespace;
    const labels = this.#namespaces.get(member.namespace);
    return labels !== undefined && namespaces?.matches(labels) === true;
  }

  #remove(entry: Entry): void {
    const { member, sets } = entry;
    for (const indexed of sets) {
      indexed.entries.delete(entry);
      this.#changed.add(indexed.set.key);
    }
    outOf(this.#byNamespace, member.namespace, entry);
    for (const ip of member.ips) this.#release(ip, entry);
  }

  #claim(ip: string, entry: Entry): void {
    into(this.#byAddress, ip, entry);
    this.#noteOwners(ip);
  }

  #release(ip: string, entry: Entry): void {
    outOf(this.#byAddress, ip, entry);
    this.#noteOwners(ip);
  }

  /** An address that changes hands changes the sets of all that claim it. */
  #noteOwners(ip: string): void {
    const claims = this.#byAddress.get(ip);
    if (!claims || claims.size < 1) return;
    for (const { sets } of claims) for (const { set } of sets) this.#changed.add(set.key);
  }
}

const isSame = (a: Member, b: Member): boolean => JSON.stringify(a) === JSON.stringify(b);

function into<T>(groups: Map<string, Set<T>>, key: string, one: T): void {
  const group = groups.get(key);
  if (group) group.add(one);
  else groups.set(key, new Set([one]));
}

function outOf<T>(groups: Map<string, Set<T>>, key: string, one: T): void {
  const group = groups.get(key);
  group?.delete(one);
  if (group?.size === 0) groups.delete(key);
}
