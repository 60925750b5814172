import type { BaseChain, JumpRule } from "./base-fragment.ts";
import type { IptFragment, SharedRule, TableName } from "./fragment.ts";
import { isServiceChain } from "./names.ts";
import { RestoreInput } from "./restore-input.ts";
import type { SavedTables } from "./saved-tables.ts";

const emptyFragment: IptFragment = { own: new Map(), shared: [] };

/** A chain with rules of all parts. Their order is irrelevant: no packet matches two. */
interface SharedChain {
  before: readonly string[];
  after: readonly string[];
  readonly byPart: Map<string, readonly string[]>;
  /** Rules added and removed since the last update. */
  readonly added: Set<string>;
  readonly removed: Set<string>;
  /** Whether it must be rewritten as a whole. */
  rewrite: boolean;
}

/**
 * Limit of rules, and of the share of a chain, that are changed one by one; above it the chain is
 * rewritten.
 */
const fewRules = 20;
const smallPart = 0.1;

/** The desired rules, made of parts; computes the kernel commands for each change of a part. */
export class IptRuleset {
  readonly #parts = new Map<string, IptFragment>();
  readonly #shared = new Map<string, SharedChain>();
  /** Parts that changed since the last update, with their state at that time. */
  readonly #before = new Map<string, IptFragment>();

  /** Drops all parts; the next rebuild finds and removes their rules. */
  clear(): void {
    this.#parts.clear();
    this.#shared.clear();
    this.#before.clear();
  }

  /** Sets the base chains; changed ones are rewritten. */
  setBase(chains: readonly BaseChain[]): void {
    for (const { table, name, before, after } of chains) {
      const chain = this.#chain(`${table} ${name}`);
      if (!sameLines(chain.before, before) || !sameLines(chain.after, after)) chain.rewrite = true;
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
      const chain = this.#chain(id);
      const rules = (lists.get(id) ?? []).map(({ rule }) => rule);
      noteChange(chain, chain.byPart.get(part) ?? [], rules);
      if (rules.length > 0) chain.byPart.set(part, rules);
      else chain.byPart.delete(part);
    }
  }

  /** The input for the changes since the last update. */
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
    for (const id of this.#shared.keys()) this.#updateShared(input, id);
    this.#before.clear();
    return input;
  }

  /** The input for everything, whatever the kernel has now. */
  rebuild(saved: SavedTables, jumps: readonly JumpRule[]): RestoreInput {
    const input = new RestoreInput();
    for (const id of this.#shared.keys()) this.#writeShared(input, id);
    const desired = new Set<string>();
    for (const { own } of this.#parts.values()) {
      for (const [name, rules] of own) {
        desired.add(name);
        input.setChain("nat", name, rules);
      }
    }
    for (const name of saved.chains("nat")) {
      if (isServiceChain(name) && !desired.has(name)) input.deleteChain("nat", name);
    }
    for (const jump of jumps) {
      if (!this.#shared.has(`${jump.table} ${jump.to}`)) {
        input.ensureChain(jump.table, jump.to, saved.chains(jump.table));
      }
      if (!saved.hasJump(jump)) input.insertJump(jump);
    }
    this.#before.clear();
    return input;
  }

  /** Number of rules in a table. */
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

  #updateShared(input: RestoreInput, id: string): void {
    const [table, name] = id.split(" ") as [TableName, string];
    const { byPart, added, removed, rewrite } = this.#chain(id);
    const changes = added.size + removed.size;
    const isSmall = changes <= Math.max(fewRules, byPart.size * smallPart);
    if (rewrite || !isSmall) this.#writeShared(input, id);
    else input.changeRules(table, name, { added, removed });
    this.#settle(id);
  }

  #writeShared(input: RestoreInput, id: string): void {
    const [table, name] = id.split(" ") as [TableName, string];
    const { before, after, byPart } = this.#chain(id);
    input.setChain(table, name, [...before, ...[...byPart.values()].flat(), ...after]);
    this.#settle(id);
  }

  #settle(id: string): void {
    const chain = this.#chain(id);
    chain.added.clear();
    chain.removed.clear();
    chain.rewrite = false;
  }

  #chain(id: string): SharedChain {
    const known = this.#shared.get(id);
    if (known) return known;
    const chain: SharedChain = {
      before: [],
      after: [],
      byPart: new Map(),
      added: new Set(),
      removed: new Set(),
      rewrite: true,
    };
    this.#shared.set(id, chain);
    return chain;
  }
}

function noteChange(
  { added, removed }: SharedChain,
  before: readonly string[],
  after: readonly string[],
): void {
  const [old, now] = [new Set(before), new Set(after)];
  for (const rule of old.difference(now)) if (!added.delete(rule)) removed.add(rule);
  for (const rule of now.difference(old)) if (!removed.delete(rule)) added.add(rule);
}

function sharedId({ table, chain }: SharedRule): string {
  return `${table} ${chain}`;
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}
