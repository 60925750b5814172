import type { RunProgram } from "../run-program.ts";

/** What `nft -j list table` says. */
export interface ListedTable {
  readonly nftables: readonly ListedObject[];
}

interface ListedObject {
  readonly chain?: ListedChain;
  readonly [kind: string]: unknown;
}

interface ListedChain {
  readonly name: string;
  readonly hook?: string;
  readonly policy?: string;
}

/** The tables that iptables makes when they are first written to. */
const tables = ["ip filter", "ip nat", "ip mangle", "ip6 filter", "ip6 nat", "ip6 mangle"];

/**
 * The commands that remove a table that holds no more than open chains of the kernel's hooks, which
 * is the same to packets as no table; "" if it holds more. They fail if a rule was added meanwhile.
 */
export function emptyTableRemoval(table: string, { nftables }: ListedTable): string {
  const chains: string[] = [];
  for (const { metainfo, table: self, chain, ...rest } of nftables) {
    if (Object.keys(rest).length > 0) return "";
    if (!chain) continue;
    if (chain.hook === undefined || chain.policy !== "accept") return "";
    chains.push(`delete chain ${table} ${chain.name}`);
  }
  return [...chains, `delete table ${table}`, ""].join("\n");
}

/** Removes the tables of iptables that hold nothing. iptables-legacy can't do without them. */
export async function removeEmptyTables(run: RunProgram): Promise<void> {
  const names = await run("nft", ["list", "tables"]).catch(() => "");
  for (const table of tables) {
    if (!names.split("\n").includes(`table ${table}`)) continue;
    const text = await run("nft", ["-j", "list", "table", ...table.split(" ")]).catch(() => "");
    const commands = text === "" ? "" : emptyTableRemoval(table, JSON.parse(text) as ListedTable);
    // Another program has just put something there, or removed it.
    if (commands !== "") await run("nft", ["-f", "-"], commands).catch(() => undefined);
  }
}
