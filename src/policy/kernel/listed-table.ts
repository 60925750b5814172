import type { TablePlan } from "../plan/table-plan.ts";

/** What `nft -j list table` prints; only what is read here. */
interface Listed {
  readonly nftables: readonly {
    readonly chain?: { readonly name: string; readonly hook?: string };
    readonly rule?: { readonly chain: string };
    readonly set?: ListedSet;
    readonly map?: ListedSet;
  }[];
}

interface ListedSet {
  readonly name: string;
  readonly elem?: readonly unknown[];
}

/**
 * Where the kernel's table differs from what was written: the first such chain or set; undefined if there is none.
 * Rules and elements are counted: other programs add and remove whole ones.
 */
export function damageOf(plan: TablePlan, json: string): string | undefined {
  const { nftables } = JSON.parse(json) as Listed;
  const chains = new Map<string, { hook: boolean; rules: number }>();
  const sets = new Map<string, number>();
  for (const { chain, rule, set, map } of nftables) {
    if (chain) chains.set(chain.name, { hook: chain.hook !== undefined, rules: 0 });
    const found = rule && chains.get(rule.chain);
    if (found) found.rules++;
    const container = set ?? map;
    if (container) sets.set(container.name, container.elem?.length ?? 0);
  }
  for (const [name, { hook, rules }] of plan.chains) {
    const found = chains.get(name);
    if (!found || found.rules !== rules.length || found.hook !== (hook !== undefined)) return name;
  }
  for (const [name, { elements, options }] of plan.sets) {
    const found = sets.get(name);
    if (found === undefined || (options === undefined && found !== elements.size)) return name;
  }
  return undefined;
}
