import type { RunProgram } from "../process/run-program.ts";

/** The output of `nft -j list table`. */
export interface ListedTable {
  readonly nftables: readonly ListedObject[];
}

interface ListedObject {
  readonly chain?: ListedChain;
  readonly rule?: { readonly chain: string };
  readonly [kind: string]: unknown;
}

interface ListedChain {
  readonly name: string;
  readonly hook?: string;
  readonly policy?: string;
}

/** The tables that iptables creates at their first write. */
const tables = ["ip filter", "ip nat", "ip mangle", "ip6 filter", "ip6 nat", "ip6 mangle"];

/**
 * The commands that remove hook chains with policy accept and no rules, and their table if it is
 * empty: for packets this makes no difference. They fail if a rule was added meanwhile. "" if there
 * is nothing to remove.
 */
export function emptyTableRemoval(table: string, { nftables }: ListedTable): string {
  const inUse = new Set(nftables.map(({ rule }) => rule?.chain));
  const isEmpty = ({ name, hook, policy }: ListedChain): boolean =>
    hook !== undefined && policy === "accept" && !inUse.has(name);
  const left = nftables.filter(({ metainfo, table: self, chain }) => {
    return metainfo === undefined && self === undefined && !(chain && isEmpty(chain));
  });
  const lines = nftables.flatMap(({ chain }) =>
    chain && isEmpty(chain) ? [`delete chain ${table} ${chain.name}`] : [],
  );
  if (left.length === 0) lines.push(`delete table ${table}`);
  return lines.map((line) => `${line}\n`).join("");
}

/** Removes empty tables and chains of iptables. iptables-legacy keeps its own. */
export async function removeEmptyTables(run: RunProgram): Promise<void> {
  const names = await run("nft", ["list", "tables"]).catch(() => "");
  for (const table of tables) {
    if (!names.split("\n").includes(`table ${table}`)) continue;
    const text = await run("nft", ["-j", "list", "table", ...table.split(" ")]).catch(() => "");
    const commands = text === "" ? "" : emptyTableRemoval(table, JSON.parse(text) as ListedTable);
    // Fails if another program has just changed the table.
    if (commands !== "") await run("nft", ["-f", "-"], commands).catch(() => undefined);
  }
}
