import type { RunProgram } from "../process/run-program.ts";
import { emptyTableRemoval, type ListedTable } from "./empty-table-removal.ts";

/** The tables that iptables creates at their first write. */
const tables = ["ip filter", "ip nat", "ip mangle", "ip6 filter", "ip6 nat", "ip6 mangle"];

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
