import type { BaseChain, JumpRule } from "./base-fragment.ts";
import type { IptFragment, SharedRule, TableName } from "./fragment.ts";
import { isServiceChain } from "./names.ts";
import { RestoreInput } from "./restore-input.ts";
import type { SavedTables } from "./saved-tables.ts";

const emptyFragment: IptFragment = { own: new Map(), shared: [] };

/** A chain that all parts fill. */
interface SharedChain {
  before: readonly string[];
  after: readonly string[];
  readonly byPart: Map<string, readonly string[]>;
}

/** The wanted rules, made of parts; it knows what each change of a part changes in the kernel. */
export class IptRuleset {
  readonly #parts = new Map<string, IptFragment>();
  readonly #shared = new Map<string, SharedChain>();
  /** Parts that changed since the last update, as they were then. */
  readonly #before = new Map<string, IptFragment>();
  readonly #dirty = new Set<string>();

  /** Forgets all parts; what was there is found by the next rebuild. */
  clear(): void {
    this.#parts.clear();
    this.#shared.clear();
    this.#before.clear();
    this.#dirty.clear();
  }

  /** Says what the chains are that are there for all; a change of them is seen. */
  setBase(chains: readonly BaseChain[]): void {
    for (const { table, name, before, after } of chains) {
      const id = `${table} ${name}`;
      const chain = this.#chain(id);
      if (!sameLines(chain.before, before) || !sameLines(chain.after, after)) this.#dirty.add(id);
      chain.before = before;
      chain.after = after;
    }
  }

  /** Replaces or, without a fragment, removes a part. */
  set(part: string, fragment: IptFragment | undefined): void {
    const before = this.#parts.get(part) ?? emptyFragment;
    if (!this.#before.has(part)) this.#before.set(part, before);
    if (fragment) this.#parts.set(part, fragment);
    else this.#parts.delete(part);
    const lists = Map.groupBy(fragment?.shared ?? [], sharedId);
    for (const id of new Set([...before.shared.map(sharedId), ...lists.keys()])) {
      const { byPart } = this.#chain(id);
      const rules = (lists.get(id) ?? []).map(({ rule }) => rule);
      if (sameLines(byPart.get(part) ?? [], rules)) continue;
      if (rules.length > 0) byPart.set(part, rules);
      else byPart.delete(part);
      this.#dirty.add(id);
    }
  }

  /** What changed since the last update. */
  update(): RestoreInput {
    const input = new RestoreInput();
    for (const [part, before] of this.#before) {
      const after = this.#parts.get(part) ?? emptyFragment;
      for (const [name, rules] of after.own) {
        if (!sameLines(before.own.get(name) ?? [], rules)) input.setChain("nat", name, rules);
      }
      for (const name of before.own.keys()) {
        if (!after.own.has(name)) input.deleteChain("nat", name);
      }
    }
    for (const id of this.#dirty) this.#writeShared(input, id);
    this.#before.clear();
    this.#dirty.clear();
    return input;
  }

  /** Everything, whatever the kernel has now. */
  rebuild(saved: SavedTables, jumps: readonly JumpRule[]): RestoreInput {
    const input = new RestoreInput();
    for (const id of this.#shared.keys()) this.#writeShared(input, id);
    const wanted = new Set<string>();
    for (const { own } of this.#parts.values()) {
      for (const [name, rules] of own) {
        wanted.add(name);
        input.setChain("nat", name, rules);
      }
    }
    for (const name of saved.chains("nat")) {
      if (isServiceChain(name) && !wanted.has(name)) input.deleteChain("nat", name);
    }
    for (const jump of jumps) {
      if (!this.#shared.has(`${jump.table} ${jump.to}`)) {
        input.ensureChain(jump.table, jump.to, saved.chains(jump.table));
      }
      if (!saved.hasJump(jump)) input.insertJump(jump);
    }
    this.#before.clear();
    this.#dirty.clear();
    return input;
  }

  /** How many rules each table holds in all. */
  ruleCount(table: TableName): number {
    let count = 0;
    for (const [id, { before, after, byPart }] of this.#shared) {
      if (!id.startsWith(`${table} `)) continue;
      count += before.length + after.length;
      for (const rules of byPart.values()) count += rules.length;
    }
    if (table === "filter") return count;
    for (const { own } of this.#parts.values()) {
      for (const rules of own.values()) count += rules.length;
    }
    return count;
  }

  #writeShared(input: RestoreInput, id: string): void {
    const [table, name] = id.split(" ") as [TableName, string];
    const { before, after, byPart } = this.#chain(id);
    input.setChain(table, name, [...before, ...[...byPart.values()].flat(), ...after]);
  }

  #chain(id: string): SharedChain {
    const known = this.#shared.get(id);
    if (known) return known;
    const chain = { before: [], after: [], byPart: new Map() };
    this.#shared.set(id, chain);
    return chain;
  }
}

function sharedId({ table, chain }: SharedRule): string {
  return `${table} ${chain}`;
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}
