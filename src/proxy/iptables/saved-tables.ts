import type { JumpRule } from "./base-fragment.ts";
import type { TableName } from "./fragment.ts";

/** The output of iptables-save for our tables. */
export class SavedTables {
  readonly #chains = { filter: new Set<string>(), nat: new Set<string>() };
  readonly #rules = { filter: [] as string[], nat: [] as string[] };

  constructor(text: string) {
    let table: TableName | undefined;
    for (const line of text.split("\n")) {
      if (line.startsWith("*")) table = tableOf(line.slice(1));
      else if (!table) continue;
      else if (line.startsWith(":")) this.#chains[table].add(line.slice(1).split(" ")[0] ?? "");
      else if (line.startsWith("-A ") && !line.startsWith("-A KUBE-"))
        this.#rules[table].push(line);
    }
  }

  chains(table: TableName): ReadonlySet<string> {
    return this.#chains[table];
  }

  /** Whether the rule exists; iptables-save formats it differently between versions. */
  hasJump({ table, from, to, comment }: JumpRule): boolean {
    return this.#rules[table].some(
      (rule) =>
        rule.startsWith(`-A ${from} `) && rule.endsWith(` -j ${to}`) && rule.includes(comment),
    );
  }
}

function tableOf(name: string): TableName | undefined {
  return name === "filter" || name === "nat" ? name : undefined;
}
